"""Real servers for the tests, PostgreSQL and Redis, and a real browser.

Each server is taken from the first of these that works: an environment variable that names a running server
(TEST_POSTGRES_URL with the right to create databases, TEST_REDIS_URL), programs on PATH (or where Debian puts
PostgreSQL's), the wheels of the test extra.  If none works the tests fail and say what to install.
"""

from tests.services.browser import chromium as chromium
from tests.services.leash import NoServer as NoServer
from tests.services.postgresql import OwnPostgres as OwnPostgres
from tests.services.postgresql import Postgres as Postgres
from tests.services.postgresql import own_postgres as own_postgres
from tests.services.postgresql import postgres as postgres
from tests.services.redis import OwnRedis as OwnRedis
from tests.services.redis import own_redis as own_redis
from tests.services.redis import redis_server as redis_server
