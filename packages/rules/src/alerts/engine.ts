/**
 * What a rule tells of devices and homes, from their stored history alone. The worker, the preview of a rule and the bell all ask here:
 * what one of them says the others cannot deny. Times in ms since the epoch.
 */

const minute = 60_000
/** How patient the telling is, in ms; an installation may set each. */
export interface Pace {
  /** Others may join the first e-mail of a place for so long. */
  wait: number
  /** E-mails of one rule about one place are at least so far apart. */
  interval: number
  /** What is over must stay over for so long, so that one that comes and goes is told once. */
  clearing: number
}
/** As alerting elsewhere has it (research, domain rules 2, section 5: group_wait, group_interval, clear). */
export const usualPace: Pace = { wait: 2 * minute, interval: 15 * minute, clearing: 30 * minute }
/** So many times within a day, and it is called unstable: it is over only after a quiet day (as above: flapping). */
export const unstableAfter = 3
export const unstableWithin = 24 * 60 * minute
/** Whoever speaks through a gateway is given so long for the silence of that to be known. */
export const gatewayKnown = 2 * minute

/** Something that was so with a device: since when, from when on it was known, and until when as far as is known. */
export interface Spell {
  began: number
  seen: number
  ended: number | null
}

export interface Rule {
  delay: number
  /** Nothing is told for a time before the rule was as it is. */
  from: number
  atOnce: boolean
  /** It is about silence, which that of a gateway explains for everything behind it. */
  ofSilence: boolean
  pace: Pace
}

/** What a rule asks of the history of its subject: a device or a home. */
export interface History {
  subjectId: string
  /** Where it stands: what becomes due together in one place is one e-mail. */
  place: string
  /** When the rule covered it; a gateway also when the rule covered a device behind it, for a rule about silence. */
  inScope: readonly Spell[]
  /** When what the rule waits for was so. */
  so: readonly Spell[]
  /** When nobody is to be told of it: its home is void, or it is in maintenance. */
  muted: readonly Spell[]
  /** Whether it speaks through a gateway, and when one of those was silent. */
  isBehind: boolean
  cutOff: readonly Spell[]
}

/** One time that a rule held for a device, from its beginning until it is over for good. */
export interface Episode {
  subjectId: string
  place: string
  began: number
  /** Since when it was known while the rule looked; tells episodes of a device and a rule apart. */
  seen: number
  /** When the delay is over and somebody is to be told; null when it never comes to that as things stand. */
  due: number | null
  /** Why nobody is told although the delay is over, or was told later. */
  held: 'muted' | 'gateway' | null
  unstable: boolean
  /** When the device said that it is over. */
  ended: number | null
  /** When it is over for good. */
  over: number | null
}

interface Piece {
  began: number
  from: number
  to: number | null
  /** It ended because the rule no longer covered the device, whose condition goes on. */
  leavesScope: boolean
}

const end = (spell: { ended: number | null }) => spell.ended ?? Infinity

/** The times in which the rule covered the device and the condition held, in their order. */
function pieces({ so, inScope }: History): Piece[] {
  return so
    .flatMap((spell) =>
      inScope.flatMap((covered): Piece[] => {
        const from = Math.max(spell.seen, covered.seen)
        const to = Math.min(end(spell), end(covered))
        const leavesScope = end(covered) < end(spell)
        return from < to ? [{ began: spell.began, from, to: to === Infinity ? null : to, leavesScope }] : []
      }),
    )
    .toSorted((a, b) => a.from - b.from)
}

const during = (spells: readonly Spell[], at: number) => spells.find((spell) => spell.seen <= at && at < end(spell))

function dueOf(
  rule: Rule,
  { muted, isBehind, cutOff }: History,
  { began, from, to }: Piece,
): Pick<Episode, 'due' | 'held'> {
  const settling = rule.ofSilence && isBehind ? gatewayKnown : 0
  let at = Math.max(began + rule.delay, from, rule.from) + settling
  let held: Episode['held'] = null
  for (;;) {
    if (to !== null && at >= to) return { due: null, held }
    const silence = rule.ofSilence ? during(cutOff, at) : undefined
    const mute = silence ? undefined : during(muted, at)
    if (!silence && !mute) return { due: at, held }
    held = silence ? 'gateway' : 'muted'
    const release = (silence ?? mute)!.ended
    if (release === null) return { due: null, held }
    // Once its gateway is back a device has its time again to report, also when that was away while nobody was to be told.
    const away = rule.ofSilence && mute ? cutOff.find(({ seen }) => at < seen && seen < release) : undefined
    at = silence ? release + Math.max(rule.delay, rule.pace.clearing) : (away?.seen ?? release)
  }
}

/** The episodes of one device, the oldest first. What is known later never changes what was due before it. */
export function episodesOf(rule: Rule, history: History): Episode[] {
  const episodes: Episode[] = []
  for (const piece of pieces(history)) {
    const last = episodes.at(-1)
    // It came again before it was over for good: nobody is told anew.
    if (last && last.due !== null && last.over !== null && piece.from < last.over) {
      last.ended = piece.to
      last.over = overAfter(piece, last, rule)
      continue
    }
    const { due, held } = dueOf(rule, history, piece)
    const recent = due === null ? [] : episodes.filter((one) => one.due !== null && one.due > due - unstableWithin)
    const episode: Episode = {
      subjectId: history.subjectId,
      place: history.place,
      began: piece.began,
      seen: piece.from,
      due,
      held,
      unstable: recent.length >= unstableAfter,
      ended: piece.to,
      over: piece.to,
    }
    if (due !== null) episode.over = overAfter(piece, episode, rule)
    episodes.push(episode)
  }
  return episodes
}

/** A device that leaves the scope is over at once: its condition cannot come and go any more. */
const overAfter = ({ to, leavesScope }: Piece, episode: Episode, rule: Rule) =>
  to === null || leavesScope ? to : to + clearOf(episode, rule)

const clearOf = ({ unstable }: Pick<Episode, 'unstable'>, { pace }: Rule) => (unstable ? unstableWithin : pace.clearing)

/**
 * When the e-mails go out for what becomes due in one place, in the order of the times: the first waits a little for
 * others, and those that come after it wait for the next. `last` is when the last went out.
 */
export function sendTimes(
  times: readonly number[],
  last: number | null,
  { atOnce, pace }: Pick<Rule, 'atOnce' | 'pace'>,
): number[] {
  let sent = last ?? -Infinity
  return times.map((time) => {
    if (time > sent) sent = atOnce ? time : Math.max(time + pace.wait, sent + pace.interval)
    return sent
  })
}

/** An e-mail that a rule sends: that something is so, or that it is over. */
export interface Sending {
  at: number
  place: string
  kind: 'told' | 'over'
  episodes: Episode[]
}

const inTime = (a: Episode, b: Episode) => a.place.localeCompare(b.place)

/** Everything that a rule sends until a time, from the history of all devices, in the order of time. */
export function sendings(rule: Rule, histories: readonly History[], until: number): Sending[] {
  const due = histories.flatMap((history) => episodesOf(rule, history)).filter((one) => one.due !== null)
  const sent: Sending[] = []
  for (const [place, episodes] of Map.groupBy(due.toSorted(inTime), (one) => one.place))
    for (const [kind, time] of [
      ['told', (one: Episode) => one.due!],
      ['over', (one: Episode) => one.over!],
    ] as const) {
      const those = episodes.filter((one) => time(one) !== null && time(one) <= until)
      those.sort((a, b) => time(a) - time(b) || (a.subjectId < b.subjectId ? -1 : 1))
      const times = sendTimes(those.map(time), null, rule)
      for (const [at, some] of Map.groupBy(those, (_, index) => times[index]!))
        if (at <= until) sent.push({ at, place, kind, episodes: some })
    }
  return sent.toSorted((a, b) => a.at - b.at || inTime(a.episodes[0]!, b.episodes[0]!))
}

/** How often each of so many days would have told, the oldest first, and the last time. */
export interface Preview {
  days: number[]
  count: number
  latest: { at: number; subjectId: string; subjects: number } | null
}

export const previewDays = 30
const day = 24 * 60 * minute

/** What a rule would have told in the last thirty days, as if it had been there all the time. */
export function previewOf(rule: Omit<Rule, 'from'>, histories: readonly History[], now: number): Preview {
  const from = now - previewDays * day
  const told = sendings({ ...rule, from: 0 }, histories, now).filter(({ at, kind }) => kind === 'told' && at > from)
  const days = Array.from({ length: previewDays }, () => 0)
  for (const { at } of told) days[Math.min(previewDays - 1, Math.floor((at - from) / day))]! += 1
  const last = told.at(-1)
  return {
    days,
    count: told.length,
    latest: last ? { at: last.at, subjectId: last.episodes[0]!.subjectId, subjects: last.episodes.length } : null,
  }
}
