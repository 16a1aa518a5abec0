"""Notifications by mail: their kinds (`kinds`), how a message looks (`messages`), how it is sent (`smtp`),
and the worker that follows the log and empties the outbox (`worker`).
"""
