import { script } from "./client.ts"

/**
 * The steps of `domain/hosts.ts` as the server runs them, each atomic, by the server's own clock. A host is a hash (start,
 * asked, paused, failures, pages, openFor, openUntil) and a sorted set of its slots by the instant they expire.
 * Instants are milliseconds; a field that is not there is zero, long past.
 */
const opening = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local function number(it) return tonumber(it or 0) or 0 end
local function read(key)
  local v = redis.call('HMGET', key, 'start', 'asked', 'paused', 'failures', 'openFor', 'openUntil', 'pages')
  return { start = number(v[1]), asked = number(v[2]), paused = number(v[3]), failures = number(v[4]),
    openFor = number(v[5]), openUntil = number(v[6]), pages = v[7] or '' }
end
-- Pages are kept by their hashes, each with a space behind it.
local function known(pages, page) return string.find(pages, redis.sha1hex(page), 1, true) end
`

/**
 * KEYS generation, host, slots. ARGV token, perHost, delay, slotLife, lookAgain, probeAgain, keep, probeYield, page.
 * Answers {what, now, instant, reason}: granted; wait; empty (no generation: nobody knows who was dialled); unloaded.
 * A token that holds a slot already is granted again: a command sent twice takes one slot.
 */
export const acquire = script(`${opening}
local gen = redis.call('HMGET', KEYS[1], 'quiet', 'loaded')
if not gen[1] then return {'empty', now, 0, ''} end
if gen[2] ~= '1' then return {'unloaded', now, number(gen[1]), ''} end
if now < number(gen[1]) then return {'wait', now, number(gen[1]), 'delay'} end
local perHost, delay, life = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZSCORE', KEYS[3], ARGV[1]) then return {'granted', now, 0, ''} end
local s = read(KEYS[2])
if now < s.paused then return {'wait', now, s.paused, 'retry_after'} end
local shut = 0
if s.openFor > 0 then
  shut = s.openUntil
  if s.pages ~= '' and known(s.pages, ARGV[9]) then shut = shut + math.min(s.openFor, tonumber(ARGV[8])) end
end
if now < shut then return {'wait', now, shut, 'breaker'} end
local ready = s.start + math.max(delay, s.asked)
local held = redis.call('ZCARD', KEYS[3])
local free = math.huge
if held > 0 then free = tonumber(redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]) end
if s.openFor > 0 and held > 0 then
  return {'wait', now, math.min(free, math.max(ready, now + math.max(tonumber(ARGV[6]), now - s.start))), 'breaker'}
end
if held >= perHost then
  return {'wait', now, math.min(free, math.max(ready, now + tonumber(ARGV[5]))), 'in_flight'}
end
if now < ready then return {'wait', now, ready, 'delay'} end
redis.call('HSET', KEYS[2], 'start', now)
redis.call('ZADD', KEYS[3], now + life, ARGV[1])
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[7]))
redis.call('PEXPIRE', KEYS[3], life)
return {'granted', now, 0, ''}
`)

/**
 * KEYS host, slots. ARGV token, fault, pause (an instant or 0), failures, open, openMax, pauseMax, keep, page.
 * The next gap counts from here: only an answer proves that the request had reached its host, however late it left a busy machine.
 * Answers {now, paused, openUntil}: the instants that this end moved, else 0.
 */
export const release = script(`${opening}
local s = read(KEYS[1])
local paused, opened = 0, 0
local pause = math.min(tonumber(ARGV[3]), now + tonumber(ARGV[7]))
if pause > s.paused then
  paused = pause
  redis.call('HSET', KEYS[1], 'paused', pause)
end
if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], 'start', now)
  if ARGV[2] == 'none' then
    redis.call('HDEL', KEYS[1], 'failures', 'pages', 'openFor', 'openUntil')
  elseif ARGV[2] ~= 'unknown' then
    local again = ARGV[2] == 'page' and known(s.pages, ARGV[9])
    local failures = s.failures
    if not again then
      failures = failures + 1
      redis.call('HSET', KEYS[1], 'failures', failures)
      if ARGV[2] == 'page' then
        redis.call('HSET', KEYS[1], 'pages', string.sub(s.pages .. redis.sha1hex(ARGV[9]) .. ' ', -41 * tonumber(ARGV[4])))
      end
    end
    if failures >= tonumber(ARGV[4]) and not (s.openFor > 0 and now < s.openUntil) then
      local openFor = tonumber(ARGV[5])
      if s.openFor > 0 then
        openFor = s.openFor
        if not again then openFor = math.min(openFor * 2, tonumber(ARGV[6])) end
      end
      opened = now + openFor
      redis.call('HSET', KEYS[1], 'openFor', openFor, 'openUntil', opened)
    end
  end
end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[8]))
return {now, paused, opened}
`)

/** KEYS host. ARGV delay, keep. The strictest gap ever asked holds. Answers 1 if this is it. */
export const ask = script(`
local asked = tonumber(redis.call('HGET', KEYS[1], 'asked') or 0)
if tonumber(ARGV[1]) > asked then
  redis.call('HSET', KEYS[1], 'asked', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]))
  return 1
end
return 0
`)

/** KEYS generation. ARGV quiet (ms). The first of many that find the server empty begins its new generation. */
export const begin = script(`${opening}
if redis.call('HSETNX', KEYS[1], 'quiet', now + tonumber(ARGV[1])) == 1 then redis.call('HSET', KEYS[1], 'loaded', 0) end
return now
`)

/**
 * KEYS host. ARGV paused, openUntil, open, failures, keep, asked. What Postgres still knows of a host. One that asked for a gap
 * counts as dialled now: its gap may be longer than the wait of all.
 */
export const restore = script(`${opening}
local s = read(KEYS[1])
if tonumber(ARGV[6]) > s.asked then redis.call('HSET', KEYS[1], 'asked', ARGV[6], 'start', now) end
if tonumber(ARGV[1]) > s.paused then redis.call('HSET', KEYS[1], 'paused', ARGV[1]) end
if tonumber(ARGV[2]) > s.openUntil then
  redis.call('HSET', KEYS[1], 'openUntil', ARGV[2], 'openFor', math.max(s.openFor, tonumber(ARGV[3])),
    'failures', math.max(s.failures, tonumber(ARGV[4])))
end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[5]))
return 0
`)
