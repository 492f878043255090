/**
 * Evaluates rules against the stored history of devices and properties. The worker, the preview of a rule and the alert
 * bell share this module, so their results agree. Times in ms since the epoch.
 */

const minute = 60_000
/** Delays of e-mails in ms; configurable per installation. */
export interface Pace {
  /** How long the first e-mail about a place waits so that other alerts can join it. */
  wait: number
  /** Minimum time between e-mails of one rule about one place. */
  interval: number
  /** How long a condition must stay cleared before the alert is over, so that a flapping condition sends one e-mail. */
  clearing: number
}
/** Values common in alerting systems (research, domain rules 2, section 5: group_wait, group_interval, clear). */
export const usualPace: Pace = { wait: 2 * minute, interval: 15 * minute, clearing: 30 * minute }
/**
 * After this many occurrences within a day an alert counts as unstable and is over only after a day without one (see
 * above: flapping).
 */
export const unstableAfter = 3
export const unstableWithin = 24 * 60 * minute
/** Grace period for devices connected through a gateway until the gateway's own silence is detected. */
export const gatewayGrace = 2 * minute

/** An interval in which a state was active: its start, when it became known, and its end if known. */
export interface Interval {
  began: number
  seen: number
  ended: number | null
}

export interface Rule {
  delay: number
  /** When the rule got its current definition; nothing earlier sends e-mails. */
  from: number
  atOnce: boolean
  /** The rule is about silence, which a silent gateway explains for all devices connected through it. */
  ofSilence: boolean
  pace: Pace
}

/** The history of a device or property that a rule is evaluated against. */
export interface History {
  subjectId: string
  /** The place of the subject; alerts that become due together in one place share an e-mail. */
  place: string
  /**
   * When the rule covered the subject. For rules about silence, a gateway is also covered while a device connected
   * through it is.
   */
  inScope: readonly Interval[]
  /** When the condition of the rule was met. */
  active: readonly Interval[]
  /** When alerts are muted: the property is void, or the device is in maintenance. */
  muted: readonly Interval[]
  /** Whether the device is connected through a gateway, and when that gateway was silent. */
  isBehind: boolean
  gatewayOffline: readonly Interval[]
}

/** One occurrence of a rule's condition on a device, from its beginning until the alert is over. */
export interface Episode {
  subjectId: string
  place: string
  began: number
  /** When the rule first saw it; identifies the episode among the episodes of the device and rule. */
  seen: number
  /** When the delay has elapsed and a notification is due; null if that will not happen as things are. */
  due: number | null
  /** Why the notification was suppressed or postponed after the delay. */
  held: 'muted' | 'gateway' | null
  unstable: boolean
  /** When the device reported that the condition ended. */
  ended: number | null
  /** When the alert was over for good. */
  over: number | null
}

interface Piece {
  began: number
  from: number
  to: number | null
  /** The episode ended because the rule stopped covering the device, although the condition continues. */
  leavesScope: boolean
}

const end = (spell: { ended: number | null }) => spell.ended ?? Infinity

/** The intervals in which the rule covered the device and the condition was met, in order. */
function pieces({ active, inScope }: History): Piece[] {
  return active
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

const during = (spells: readonly Interval[], at: number) => spells.find((spell) => spell.seen <= at && at < end(spell))

function dueOf(
  rule: Rule,
  { muted, isBehind, gatewayOffline }: History,
  { began, from, to }: Piece,
): Pick<Episode, 'due' | 'held'> {
  const grace = rule.ofSilence && isBehind ? gatewayGrace : 0
  let at = Math.max(began + rule.delay, from, rule.from) + grace
  let held: Episode['held'] = null
  for (;;) {
    if (to !== null && at >= to) return { due: null, held }
    const silence = rule.ofSilence ? during(gatewayOffline, at) : undefined
    const mute = silence ? undefined : during(muted, at)
    if (!silence && !mute) return { due: at, held }
    held = silence ? 'gateway' : 'muted'
    const release = (silence ?? mute)!.ended
    if (release === null) return { due: null, held }
    // When its gateway is back, the device gets its reporting time again, even if the gateway went silent while alerts
    // were muted.
    const away = rule.ofSilence && mute ? gatewayOffline.find(({ seen }) => at < seen && seen < release) : undefined
    at = silence ? release + Math.max(rule.delay, rule.pace.clearing) : (away?.seen ?? release)
  }
}

/** The episodes of one device, oldest first. Later facts never change what was due before them. */
export function episodesOf(rule: Rule, history: History): Episode[] {
  const episodes: Episode[] = []
  for (const piece of pieces(history)) {
    const last = episodes.at(-1)
    // The condition returned before the alert was over: no new notification.
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

/** A device that leaves the scope ends its episode at once: the condition can no longer come and go. */
const overAfter = ({ to, leavesScope }: Piece, episode: Episode, rule: Rule) =>
  to === null || leavesScope ? to : to + clearOf(episode, rule)

const clearOf = ({ unstable }: Pick<Episode, 'unstable'>, { pace }: Rule) => (unstable ? unstableWithin : pace.clearing)

/**
 * When e-mails go out for the alerts of one place, in ascending order of times: the first waits briefly for others,
 * later ones wait for the next e-mail. `last` is when the previous e-mail was sent.
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

/** An e-mail of a rule: an alert, or its end. */
export interface Sending {
  at: number
  place: string
  kind: 'told' | 'over'
  episodes: Episode[]
}

const inTime = (a: Episode, b: Episode) => a.place.localeCompare(b.place)

/** All e-mails of a rule up to a time, from the histories of all devices, in chronological order. */
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

/** The number of notifications on each day, oldest first, and the last time. */
export interface Preview {
  days: number[]
  count: number
  latest: { at: number; subjectId: string; subjects: number } | null
}

export const previewDays = 30
const day = 24 * 60 * minute

/** The notifications that a rule would have sent in the last thirty days if it had existed all the time. */
export function previewOf(rule: Omit<Rule, 'from'>, histories: readonly History[], now: number): Preview {
  const from = now - previewDays * day
  const alerts = sendings({ ...rule, from: 0 }, histories, now).filter(({ at, kind }) => kind === 'told' && at > from)
  const days = Array.from({ length: previewDays }, () => 0)
  for (const { at } of alerts) days[Math.min(previewDays - 1, Math.floor((at - from) / day))]! += 1
  const last = alerts.at(-1)
  return {
    days,
    count: alerts.length,
    latest: last ? { at: last.at, subjectId: last.episodes[0]!.subjectId, subjects: last.episodes.length } : null,
  }
}
