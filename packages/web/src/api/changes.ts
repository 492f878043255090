import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Query, QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import type { ChangeNews } from '@caretaker/contract/changes.ts'
import { mostWatched, streamChanges } from '@caretaker/contract/calls/changes.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { getSession } from '@caretaker/contract/calls/session.ts'
import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { listen } from './call.ts'
import { reach } from './reach.ts'

/** What a query shows: it is asked anew when that changes. */
export interface Shows {
  subjects: readonly ChangeSubject[]
  /** The one device that it is of, or several of them. */
  deviceId?: string
  deviceIds?: readonly string[]
  /** Ids of the other devices of which it shows something, as its answer names them. */
  othersIn?: (data: unknown) => readonly string[]
  /** The kinds of devices of which it shows some. */
  products?: readonly Product[]
  /** Ids of the things that it shows now. Changes of others only move or count what is shown, and may wait longer. */
  rowsIn?: (data: unknown) => readonly string[]
  /** Milliseconds between two times it is asked anew; a second unless given. */
  apart?: number
  /** The page changes what it shows by itself, without asking anew: what it did must not come back to it as news. */
  edited?: true
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { shows?: Shows }
  }
}

const usually = 1000
/** Of what a page shows of its few devices: a reading is to be there before anybody has counted to one. */
const ofFew = 200
/**
 * What takes long to answer is asked for no more than so much of the time: many open pages must not wear out a server that is busy.
 * It is busy when it was so twice: after a single slow answer nobody waits for longer.
 */
const busy = 1 / 2
/** For an edited query: until the answer to the page's own call is there, and how long its own changes may still be told. */
const answerTime = 500
const echoTime = 30_000
const ofOthers = 5000

/** How far apart a change lets what shows it be asked anew, in ms; undefined when it is not shown. */
export function apartFor(shows: Shows, change: ChangeNews['changes'][number], data: unknown): number | undefined {
  const { subject, ids, products } = change
  if (!shows.subjects.includes(subject)) return undefined
  const few = shows.deviceId === undefined ? shows.deviceIds : [shows.deviceId, ...(shows.othersIn?.(data) ?? [])]
  if (few && ids && !few.some((id) => ids.includes(id))) return undefined
  if (shows.products && products && !products.some((one) => shows.products!.includes(one))) return undefined
  const isShown = !shows.rowsIn || !ids || shows.rowsIn(data).some((id) => ids.includes(id))
  return shows.apart ?? (few ? ofFew : isShown ? usually : ofOthers)
}

/**
 * Lets the queries of a client hear what changes: each that shows it is asked anew, at once if it was not just before, never while
 * an answer is on its way, which may be older than the change, and the less often the longer its answers take.
 */
export function hearing(queryClient: QueryClient, tenant: string) {
  const asked = new Map<string, number>()
  const due = new Map<string, { at: number; timer: ReturnType<typeof setTimeout> }>()
  const touched = new Map<string, number>()
  const begun = new Map<string, number>()
  const took = new Map<string, [former: number, last: number]>()
  let asking = false
  const cache = queryClient.getQueryCache()
  const stopWatching = cache.subscribe((event) => {
    if (event.type !== 'updated' || !event.query.meta?.shows) return
    const { action, query } = event
    if (action.type === 'fetch') begun.set(query.queryHash, Date.now())
    if (action.type === 'success' && !action.manual) {
      const [, former] = took.get(query.queryHash) ?? [0, 0]
      took.set(query.queryHash, [former, Date.now() - (begun.get(query.queryHash) ?? Date.now())])
    }
    if (!query.meta?.shows?.edited) return
    const byPage =
      action.type === 'success' ? action.manual : action.type === 'fetch' && query.state.dataUpdateCount > 0
    if (byPage && !asking) touched.set(query.queryHash, Date.now())
  })
  const refresh = (query: Query) => {
    const echo = (touched.get(query.queryHash) ?? -Infinity) + echoTime
    if (Date.now() < echo) return plan(query, echo)
    if (query.state.fetchStatus === 'fetching') return plan(query, Date.now() + 100)
    due.delete(query.queryHash)
    asked.set(query.queryHash, Date.now())
    asking = true
    void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })
    asking = false
  }
  const plan = (query: Query, at: number) => {
    clearTimeout(due.get(query.queryHash)?.timer)
    due.set(query.queryHash, { at, timer: setTimeout(() => refresh(query), Math.max(0, at - Date.now())) })
  }
  return {
    hear: ({ everything, changes }: ChangeNews) => {
      if (everything) {
        void queryClient.invalidateQueries({ queryKey: [tenant] })
        void queryClient.invalidateQueries({ queryKey: [getSession.path] })
        return
      }
      for (const query of cache.findAll({ queryKey: [tenant] })) {
        const { shows } = query.meta ?? {}
        if (!shows) continue
        const waits = changes.flatMap((change) => apartFor(shows, change, query.state.data) ?? [])
        if (!waits.length) continue
        const soonest = shows.edited ? Date.now() + answerTime : 0
        const wait = Math.max(Math.min(...waits), Math.min(...(took.get(query.queryHash) ?? [0])) / busy)
        const at = Math.max(soonest, (asked.get(query.queryHash) ?? 0) + wait)
        if (at < (due.get(query.queryHash)?.at ?? Infinity)) plan(query, at)
      }
    },
    stop: () => {
      stopWatching()
      for (const { timer } of due.values()) clearTimeout(timer)
    },
  }
}

/** How far the changes of a client were heard, since when something of it is shown, and who is told. */
interface Place {
  position?: string
  since: number
  hear(news: ChangeNews): void
}

/** Lets a place hear, until what is given is called. */
function hearAt(place: Place, queryClient: QueryClient, tenant: string): () => void {
  const { hear, stop } = hearing(queryClient, tenant)
  place.hear = hear
  return stop
}

const shortest = 1000
const longest = 30_000
/** Milliseconds without a sign of life on the stream until it is asked whether the server is there, and until it is opened anew. */
const silence = 3_400
const deaf = 10_000

/** Notices that a stream has fallen silent, which a network that was cut does not say by itself. */
export function stethoscope(onSilence: () => void, onDeaf: () => void) {
  let timers: ReturnType<typeof setTimeout>[] = []
  const stop = () => {
    for (const timer of timers) clearTimeout(timer)
    timers = []
  }
  return {
    beat: () => {
      stop()
      timers = [setTimeout(onSilence, silence), setTimeout(onDeaf, deaf)]
    },
    stop,
  }
}

/** The end of a pause, or the moment at which the server is back, whichever comes first. */
function pauseOf(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(end, ms)
    const unsubscribe = reach.subscribe(() => !reach.current().lost && end())
  })
}

/** Follows the changes of a client until it is told to stop, opening the stream again when it ends. */
async function follow(
  queryClient: QueryClient,
  tenant: string,
  place: Place,
  devices: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    const cut = new AbortController()
    const heart = stethoscope(reach.suspect, () => cut.abort())
    try {
      const age = Math.min(3_600_000, Math.round(Date.now() - place.since))
      await listen(
        streamChanges,
        { params: { tenant }, query: { age, ...(devices && { device: devices }) } },
        {
          signal: AbortSignal.any([signal, cut.signal]),
          onBeat: heart.beat,
          lastEventId: place.position,
          onEvent: (id, news) => {
            place.position = id
            failures = 0
            place.hear(news as ChangeNews)
          },
        },
      )
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CallError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        // No longer signed in, or no member any more: the session says what is left.
        void queryClient.invalidateQueries({ queryKey: [getSession.path] })
        return
      }
      failures++
    } finally {
      heart.stop()
    }
    // A server that stops ends its streams: whether it is still there, nobody should have to find out by pressing something.
    reach.suspect()
    // Streams that end together, as when a server stops, do not all come back in the same moment.
    const pause = Math.min(longest, shortest * 2 ** failures) * (0.5 + Math.random() / 2)
    await pauseOf(pause)
  }
}

/** What open pages show, and all of it as it is told to the stream. */
const shown = new Set<readonly string[]>()
let watched: string | undefined
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function look(): void {
  const ids = [...new Set([...shown].flat())].slice(0, mostWatched)
  const next = ids.length ? ids.join() : undefined
  if (next === watched) return
  watched = next
  for (const listener of listeners) listener()
}

/** Lets the page of a device hear more of it, and of others that it shows, than listings do. */
export function useWatchedDevices(deviceIds: readonly string[]): void {
  const ids = deviceIds.join()
  useEffect(() => {
    if (!ids) return undefined
    const these = ids.split(',')
    shown.add(these)
    look()
    return () => {
      shown.delete(these)
      look()
    }
  }, [ids])
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/**
 * Keeps what is shown of a client current, by one stream for each tab that somebody sees: browsers allow a server only a
 * few connections, and a tab that comes to the front again hears what it has missed. The component that calls it stands
 * for one client.
 */
export function useChanges(tenant: string): void {
  const queryClient = useQueryClient()
  const devices = useSyncExternalStore(subscribe, () => watched)
  const visible = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible')
  const [place] = useState((): Place => ({ since: Date.now(), hear: () => {} }))
  useEffect(() => hearAt(place, queryClient, tenant), [queryClient, tenant, place])
  useEffect(() => {
    if (!visible) return undefined
    const stopping = new AbortController()
    void follow(queryClient, tenant, place, devices, stopping.signal)
    return () => stopping.abort()
  }, [queryClient, tenant, place, devices, visible])
}
