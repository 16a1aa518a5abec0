"""The scripts that keep scoreboards in Redis, and what they find there.

    NAME:now                     a hash: `generation`, `positions` and `places` (JSON, by log), and for
                                 each board `size:BOARD` and `totals:BOARD`
    NAME:GENERATION:BOARD:order  a sorted set of MEMBERs, all with score 0: their bytes give the order
    NAME:GENERATION:BOARD:rows   a hash: by player MEMBER, a line feed and his row (JSON)

A board is moved only from a state that holds what the mover began with to one that holds more.  Both are told
by positions, one for each log of the store.
"""

from __future__ import annotations

MOVED, KEPT, GAP, BESIDE = 1, 2, 3, 4  # how a move ends
_NUMBERS = 20  # characters of a member before the player's id

_COMMON = """
local function upto(these, those)
  for log, position in pairs(these) do
    if position > (those[log] or 0) then return false end
  end
  return true
end
local function keys(name, generation, board)
  local stem = name .. ':' .. generation .. ':' .. board
  return stem .. ':order', stem .. ':rows'
end
local function whole(order, rows, size)
  return redis.call('ZCARD', order) == size and redis.call('HLEN', rows) == size
end
"""

# Given: the positions that the mover began with, those that it comes to, its places, how many boards have
# changed, of each its name and totals, then of each changed row board, player, member and row.
MOVE = f"""{_COMMON}
local now = KEYS[1] .. ':now'
local found = redis.call('HMGET', now, 'generation', 'positions')
if not found[1] then return {GAP} end
local from, to, here = cjson.decode(ARGV[1]), cjson.decode(ARGV[2]), cjson.decode(found[2])
if upto(to, here) then return {KEPT} end
if not upto(from, here) then return {GAP} end
if not upto(here, to) then return {BESIDE} end
local boards = tonumber(ARGV[4])
for i = 5, 4 + 2 * boards, 2 do
  local size = tonumber(redis.call('HGET', now, 'size:' .. ARGV[i]) or 0)
  local order, rows = keys(KEYS[1], found[1], ARGV[i])
  if not whole(order, rows, size) then return {GAP} end
end
for i = 5, 4 + 2 * boards, 2 do redis.call('HSET', now, 'totals:' .. ARGV[i], ARGV[i + 1]) end
for i = 5 + 2 * boards, #ARGV, 4 do
  local order, rows = keys(KEYS[1], found[1], ARGV[i])
  local old = redis.call('HGET', rows, ARGV[i + 1])
  if old then
    redis.call('ZREM', order, string.sub(old, 1, string.find(old, '\\n', 1, true) - 1))
  else
    redis.call('HINCRBY', now, 'size:' .. ARGV[i], 1)
  end
  redis.call('ZADD', order, 0, ARGV[i + 2])
  redis.call('HSET', rows, ARGV[i + 1], ARGV[i + 2] .. '\\n' .. ARGV[i + 3])
end
redis.call('HSET', now, 'positions', ARGV[2], 'places', ARGV[3])
return {MOVED}
"""

# Given: the new generation, its positions and places, then of each board name, size and totals.
SWAP = f"""{_COMMON}
local now = KEYS[1] .. ':now'
local found = redis.call('HMGET', now, 'generation', 'positions')
if found[1] and not upto(cjson.decode(found[2]), cjson.decode(ARGV[2])) then return {BESIDE} end
for i = 4, #ARGV, 3 do
  local order, rows = keys(KEYS[1], ARGV[1], ARGV[i])
  if not whole(order, rows, tonumber(ARGV[i + 1])) then return {GAP} end
end
if found[1] then
  for _, field in ipairs(redis.call('HKEYS', now)) do
    if string.sub(field, 1, 5) == 'size:' then
      redis.call('UNLINK', keys(KEYS[1], found[1], string.sub(field, 6)))
    end
  end
end
redis.call('DEL', now)
redis.call('HSET', now, 'generation', ARGV[1], 'positions', ARGV[2], 'places', ARGV[3])
for i = 4, #ARGV, 3 do
  redis.call('HSET', now, 'size:' .. ARGV[i], ARGV[i + 1], 'totals:' .. ARGV[i], ARGV[i + 2])
  for _, key in ipairs({{keys(KEYS[1], ARGV[1], ARGV[i])}}) do redis.call('PERSIST', key) end
end
return {MOVED}
"""

# Given: the positions that must be there, the board, the member after whom to begin (or nothing), how many.
# Answered: the totals, then rows; nothing where the board is behind, GAP where a part of it was lost.
READ = f"""{_COMMON}
local now = KEYS[1] .. ':now'
local found = redis.call(
  'HMGET', now, 'generation', 'positions', 'size:' .. ARGV[2], 'totals:' .. ARGV[2])
if not found[1] or not upto(cjson.decode(ARGV[1]), cjson.decode(found[2])) then return false end
local order, rows = keys(KEYS[1], found[1], ARGV[2])
local size = tonumber(found[3] or 0)
if not whole(order, rows, size) then return {GAP} end
local answer, top = {{found[4] or ''}}, '+'
if ARGV[3] ~= '' then top = '(' .. ARGV[3] end
for _, member in ipairs(redis.call('ZREVRANGEBYLEX', order, top, '-', 'LIMIT', 0, ARGV[4])) do
  local row = redis.call('HGET', rows, string.sub(member, {_NUMBERS + 1}))
  table.insert(answer, string.sub(row, #member + 2))
end
return answer
"""
