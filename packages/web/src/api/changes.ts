import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Query, QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@caretaker/contract/changes.ts'
import { mostWatched, streamChanges } from '@caretaker/contract/calls/changes.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { getSession } from '@caretaker/contract/calls/session.ts'
import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { listen } from './call.ts'
import { reach } from './reach.ts'

/** The subjects that a query shows: it is refetched when they change. */
export interface Shows {
  subjects: readonly ChangeSubject[]
  /** The device or devices of the query. */
  deviceId?: string
  deviceIds?: readonly string[]
  /** Ids of other devices in the answer. */
  othersIn?: (data: unknown) => readonly string[]
  /** The products of the shown devices. */
  products?: readonly Product[]
  /** Ids of the shown rows. Changes to other rows only affect order or counts, and may wait longer. */
  rowsIn?: (data: unknown) => readonly string[]
  /** Minimum milliseconds between two refetches; 1,000 by default. */
  apart?: number
  /** The page updates its cache without a refetch, so the event of its own change must be ignored. */
  edited?: true
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { shows?: Shows }
  }
}

const usually = 1000
/** For a page with few devices: a reading should appear well within a second. */
const ofFew = 200
/**
 * The largest share of time that a slow query may take, so that many open pages do not overload a busy server. It
 * applies after two slow answers in a row.
 */
const busy = 1 / 2
/**
 * For an edited query: how long to wait for the response to its own call, and how long events for its own changes may
 * still arrive.
 */
const answerTime = 500
const echoTime = 30_000
const ofOthers = 5000

/** The minimum time in ms between refetches for a change; undefined if the query does not show it. */
export function apartFor(shows: Shows, change: ChangeEvent['changes'][number], data: unknown): number | undefined {
  const { subject, ids, products } = change
  if (!shows.subjects.includes(subject)) return undefined
  const few = shows.deviceId === undefined ? shows.deviceIds : [shows.deviceId, ...(shows.othersIn?.(data) ?? [])]
  if (few && ids && !few.some((id) => ids.includes(id))) return undefined
  if (shows.products && products && !products.some((one) => shows.products!.includes(one))) return undefined
  const isShown = !shows.rowsIn || !ids || shows.rowsIn(data).some((id) => ids.includes(id))
  return shows.apart ?? (few ? ofFew : isShown ? usually : ofOthers)
}

/**
 * Connects the queries of a client to change events: each affected query is refetched, at once unless it was just
 * fetched, never while a request is pending (which may be older than the change), and less often the longer its answers
 * take.
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
    hear: ({ everything, changes }: ChangeEvent) => {
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

/** The position in the change stream of a client, and its listeners. */
interface Place {
  position?: string
  since: number
  hear(changed: ChangeEvent): void
}

/** Registers a query cache with a stream position; returns a function that unregisters it. */
function registerCache(place: Place, queryClient: QueryClient, tenant: string): () => void {
  const { hear, stop } = hearing(queryClient, tenant)
  place.hear = hear
  return stop
}

const shortest = 1000
const longest = 30_000
/** Milliseconds without a heartbeat until the server is probed, and until the stream is reopened. */
const silence = 3_400
const deaf = 10_000

/** Detects a silent stream, because a cut network gives no error. */
export function silenceDetector(onSilence: () => void, onDeaf: () => void) {
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

/** Waits for the pause or until the server is back, whichever comes first. */
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

/** Follows a client's changes until it is stopped, reopening the stream when it ends. */
async function follow(
  queryClient: QueryClient,
  tenant: string,
  place: Place,
  devices: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    const cut = new AbortController()
    const heart = silenceDetector(reach.suspect, () => cut.abort())
    try {
      const age = Math.min(3_600_000, Math.round(Date.now() - place.since))
      await listen(
        streamChanges,
        { params: { tenant }, query: { age, ...(devices && { device: devices }) } },
        {
          signal: AbortSignal.any([signal, cut.signal]),
          onBeat: heart.beat,
          lastEventId: place.position,
          onEvent: (id, changed) => {
            place.position = id
            failures = 0
            place.hear(changed as ChangeEvent)
          },
        },
      )
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CallError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        // No longer signed in, or no longer a member: the session query decides what is left.
        void queryClient.invalidateQueries({ queryKey: [getSession.path] })
        return
      }
      failures++
    } finally {
      heart.stop()
    }
    // A stopping server ends its streams; probing it here shows the loss before the user clicks something.
    reach.suspect()
    // Jitter, so that streams that end together do not all reconnect at the same moment.
    const pause = Math.min(longest, shortest * 2 ** failures) * (0.5 + Math.random() / 2)
    await pauseOf(pause)
  }
}

/** The subjects shown by open pages, as sent to the stream. */
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

/** Subscribes a device's page to detailed events for the device and others that it shows. */
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
 * Keeps the data of a client current with one stream per visible tab: browsers allow only a few connections per server,
 * and a tab that becomes visible again receives what it missed. The calling component belongs to one client.
 */
export function useChanges(tenant: string): void {
  const queryClient = useQueryClient()
  const devices = useSyncExternalStore(subscribe, () => watched)
  const visible = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible')
  const [place] = useState((): Place => ({ since: Date.now(), hear: () => {} }))
  useEffect(() => registerCache(place, queryClient, tenant), [queryClient, tenant, place])
  useEffect(() => {
    if (!visible) return undefined
    const stopping = new AbortController()
    void follow(queryClient, tenant, place, devices, stopping.signal)
    return () => stopping.abort()
  }, [queryClient, tenant, place, devices, visible])
}
