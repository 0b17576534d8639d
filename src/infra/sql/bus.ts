import { insertMessages, messageColumns } from "./messages.ts"

/** The message `m` as its envelope's JSON: what a dead letter keeps. */
const envelopeText = `jsonb_build_object('id', m.id, 'topic', m.topic, 'key', m.key, 'occurred_at', ms_of(m.occurred_at),
  'attempt', m.attempt, 'trace_id', m.trace_id, 'headers', m.headers, 'payload', m.payload)::text`

const insertDead = `insert into dead_letters (id, topic, key, stage, code, message, bytes, attempts, at)`
/** The latest death of a message is the one an operator needs to see. */
const replaceDead = `on conflict (id) do update set topic = excluded.topic, key = excluded.key, stage = excluded.stage,
  code = excluded.code, message = excluded.message, bytes = excluded.bytes, attempts = excluded.attempts, at = excluded.at`

/** $1 message records. */
export const publish = `with sent as (
  ${insertMessages(`json_to_recordset($1::text::json) as m(${messageColumns})`)} returning 1)
  select count(*)::int as n from sent`

/** Due messages of topic `w.topic` that nobody has, and the order in which they are due. */
const due = "not m.leased and m.topic = w.topic and m.not_before <= at_ms($3)"
const inOrder = "order by m.not_before, m.seq"
const hasRoom = "not in (select f.key from full_keys f where f.n >= $5)"
const nextKey = (after: string) => `(select m.key from messages m
  where not m.leased and m.topic = ${after}.topic and m.key > ${after}.key order by m.key limit 1)`

/**
 * $1 topics {topic, weight, busy, start, key}; $2 now of leases; $3 now of due times; $4 most; $5 most per key; $6 rows taken
 * per topic; $7 lease end; $8 crashes that end a message; $9 rows looked at per topic; $10 keys looked at per topic.
 * `near`: candidates in the order of their due time, leaving out keys that are full. Where a host's backlog fills all that is
 * looked at, `far` adds the heads of other keys, in turn from where the last claim stopped (`key`): so a slow host hides
 * nobody, and no claim looks at a whole backlog.
 * `share` is what a topic has out, over its weight: the smallest goes first, hence shares in proportion to the weights
 * while all topics have work, and all of it for one topic while the others have none. `turn`, the topic's virtual start
 * time, decides between equals, so that no topic starves where one slot at a time becomes free.
 * The locking step looks at the lease again: a row that another process took meanwhile is skipped.
 * Answers the messages taken, and a row without id per topic that was walked: the key where it ended.
 */
const claiming = (sent: boolean) => `with recursive wanted as materialized (
  select * from json_to_recordset($1::text::json) as w(topic text, weight float8, busy int, start float8, key text)),
full_keys as materialized (
  select m.key, count(*)::int as n from messages m
  where m.leased and m.leased_until > at_ms($2) and m.topic in (select w.topic from wanted w) group by m.key),
near as materialized (
  select w.topic, w.weight, w.busy, w.start, c.* from wanted w cross join lateral (
    (select * from (
       select m.id, m.key, m.not_before, m.seq from messages m where ${due} ${inOrder} limit $9) looked
     where looked.key ${hasRoom} limit $6)
    union all
    (select m.id, m.key, m.not_before, m.seq from messages m
     where m.leased and m.topic = w.topic and m.leased_until <= at_ms($2) ${inOrder} limit $6)) c),
crowded as materialized (
  select w.* from wanted w
  where (select count(*) from (
      select from (select *, row_number() over (partition by key) as nth from near) n where nth <= $5 limit $4) fit) < $4
    and exists (select from messages m where ${due} ${inOrder} offset $9 limit 1)),
walk as (
  select w.topic, ${nextKey("w")} as key, 1 as steps from crowded w
  union all
  select k.topic, ${nextKey("k")}, k.steps + 1 from walk k where k.key is not null and k.steps < $10),
far as (
  select w.topic, w.weight, w.busy, w.start, c.* from walk k join wanted w on w.topic = k.topic cross join lateral (
    select m.id, m.key, m.not_before, m.seq from messages m where ${due} and m.key = k.key ${inOrder} limit $5) c
  where k.key ${hasRoom}),
pool as (select * from near union select * from far),
fitting as (
  select p.*, coalesce(f.n, 0) as n, row_number() over (partition by p.topic, p.key order by p.not_before, p.seq, p.id) as nth
  from pool p left join full_keys f on f.key = p.key),
shared as (
  select id, key, n, (busy + place) / weight as share, start + place / weight as turn from (
    select f.*, row_number() over (partition by topic order by not_before, seq, id) - 1 as place
    from fitting f where n + nth <= $5) placed),
chosen as materialized (
  select id, row_number() over (order by share, turn, id) as rank from (
    select s.*, row_number() over (partition by s.key order by s.share, s.turn, s.id) as nth from shared s) k
  where n + nth <= $5 order by share, turn, id limit $4),
picked as materialized (
  select m.id, m.starts >= $8 as crashed, c.rank from chosen c join messages m on m.id = c.id
  where not m.leased or m.leased_until <= at_ms($2) for update of m skip locked),
crashed as (
  delete from messages m using picked p where m.id = p.id and p.crashed returning m.*),
buried as (
  ${insertDead}
  select m.id, m.topic, m.key, 'bus', 'crash_loop', 'begun ' || m.starts || ' times without an outcome',
    ${envelopeText}, m.starts, at_ms($3) from crashed m ${replaceDead}),
taken as (
  update messages m set leased = true, leased_until = at_ms($7), lease = m.lease + 1, begun = false,
    sent = ${sent}
  from picked p where m.id = p.id and not p.crashed
  returning m.id, m.topic, m.key, ms_of(m.occurred_at) as occurred_at, m.attempt, m.trace_id, m.headers, m.payload,
    m.lease::float8 as lease, m.starts, p.rank)
select * from taken
union all
select null, k.topic, k.key, 0, 0, '', null, null, 0, 0, 0 from walk k where k.key is null or k.steps = $10
order by rank`
export const claim = claiming(false)
/** The same for a relay: what it takes is Kafka's to give out. */
export const claimToSend = claiming(true)

/**
 * $1 ids; $2 lease end. Messages that Kafka delivered, for the consumer that received them: a message that was settled is not
 * there any more, and one that another consumer has is not Kafka's any more, so a second delivery takes nothing.
 */
export const claimSent = `with given as materialized (select id from json_array_elements_text($1::text::json) as g(id)),
sent as materialized (
  select m.id from messages m join given g on g.id = m.id where m.leased and m.sent order by m.id for update of m)
update messages m set leased_until = at_ms($2), lease = m.lease + 1, begun = false, sent = false
  from sent s where m.id = s.id
  returning m.id, m.topic, m.key, ms_of(m.occurred_at) as occurred_at, m.attempt, m.trace_id, m.headers, m.payload,
    m.lease::float8 as lease, m.starts`

/** $1 topics {topic}. When the next unleased message is due, and whether any is leased: an end, or a time to wake. */
export const outlook = `select
  min((select ms_of(min(m.not_before)) from messages m where not m.leased and m.topic = w.topic)) as next_due,
  bool_or(exists (select from messages m where m.leased and m.topic = w.topic)) as leased
  from json_to_recordset($1::text::json) as w(topic text)`

const receipts = `given as materialized (select * from json_to_recordset($1::text::json) as g(id text, lease bigint))`
const isHeld = `m.id = g.id and m.lease = g.lease and m.leased`
/** The rows of these receipts, locked in the order of their ids: statements that lock the same rows wait for each other in turn. */
const locked = (which = "") => `held as materialized (
  select m.id from messages m join given g on ${isHeld}${which} order by m.id for update of m)`

/**
 * $1 receipts; $2 message records with their owner; $3 dead letters with their owner.
 * A message that a settlement sends under the id it settles (a retry, a postponed job) is changed in place: deleting and
 * inserting one id in one statement would lose it.
 */
export const settle = `with ${receipts},
outgoing as materialized (select * from json_to_recordset($2::text::json) as m(owner text, ${messageColumns})),
${locked()},
again as materialized (
  select distinct on (o.id) o.* from outgoing o join held h on h.id = o.owner where o.id = o.owner),
back as (
  update messages m set topic = o.topic, key = o.key, occurred_at = at_ms(o.occurred_at), attempt = o.attempt,
    trace_id = o.trace_id, headers = o.headers, payload = o.payload, not_before = at_ms(o.not_before), seq = o.seq,
    leased = false, leased_until = null, starts = 0, begun = false
  from again o where m.id = o.id),
gone as (
  delete from messages m using held h where m.id = h.id and h.id not in (select id from again)),
sent as (${insertMessages("outgoing m join held h on h.id = m.owner where m.id <> m.owner")}),
buried as (
  ${insertDead}
  select distinct on (d.id) d.id, d.topic, d.key, d.stage, d.code, d.message, d.bytes, d.attempts, at_ms(d.at)
  from json_to_recordset($3::text::json) as d(owner text, id text, topic text, key text, stage text, code text,
    message text, bytes text, attempts int, at float8) join held h on h.id = d.owner
  ${replaceDead})
select id from held`

/** $1 receipts; $2 lease end. Touches no indexed column. */
export const renew = `with ${receipts}, ${locked()}
update messages m set leased_until = at_ms($2) from held h where m.id = h.id`

/** $1 receipts; $2 until when Kafka is trusted to deliver them. Only what nobody has received in the meantime. */
export const acknowledgeSent = `with ${receipts}, ${locked(" and m.sent")}
update messages m set leased_until = at_ms($2) from held h where m.id = h.id`

/** $1 name; $2 holder; $3 now; $4 until. Answers a row if the holder may relay now. */
export const holdRelay = `insert into relays as r (name, holder, until) values ($1, $2, at_ms($4))
  on conflict (name) do update set holder = excluded.holder, until = excluded.until
  where r.holder = excluded.holder or r.until <= at_ms($3) returning 1 as held`

/** $1 name; $2 holder. The next relay need not wait for the end of the lease. */
export const leaveRelay = "delete from relays where name = $1 and holder = $2"

/** $1 dead letters: what Kafka delivered that was never a message of ours. */
export const bury = `${insertDead}
  select distinct on (d.id) d.id, d.topic, d.key, d.stage, d.code, d.message, d.bytes, d.attempts, at_ms(d.at)
  from json_to_recordset($1::text::json) as d(id text, topic text, key text, stage text, code text, message text, bytes text,
    attempts int, at float8) order by d.id ${replaceDead}`

/** $1 receipts. Work on these begins: from here on a lease that ends without an outcome was a crash. */
export const begin = `with ${receipts}, ${locked(" and not m.begun")}
update messages m set starts = m.starts + 1, begun = true from held h where m.id = h.id`

/** $1 receipts. Work handed back was none. */
export const release = `with ${receipts}, ${locked()}
update messages m set leased = false, leased_until = null, starts = m.starts - m.begun::int, begun = false
from held h where m.id = h.id`

/** Under the lock of the embedded store one process owns all leases, so those of its predecessor mean nothing. */
export const voidLeases = "update messages set leased = false, leased_until = null where leased"

/** $1 now; $2 topics. What Kafka holds may be taken, so it is ready. */
export const backlog = `select w.topic,
  (select count(*)::float8 from messages m where not m.leased and m.topic = w.topic and m.not_before <= n.at)
    + (select count(*)::float8 from messages m where m.leased and m.sent and m.topic = w.topic) as ready,
  (select count(*)::float8 from messages m where not m.leased and m.topic = w.topic and m.not_before > n.at) as later,
  (select count(*)::float8 from messages m where m.leased and not m.sent and m.topic = w.topic) as leased
from json_array_elements_text($2::text::json) as w(topic) cross join (select at_ms($1) as at offset 0) n order by w.topic`
