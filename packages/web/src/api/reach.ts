import { useSyncExternalStore } from 'react'
import { onlineManager } from '@tanstack/react-query'

/** Whether this tab can reach the server, and when it last received anything (ms since the epoch). */
export interface Reach {
  lost: boolean
  heardAt: number
}

export interface ReachWatch {
  current(): Reach
  subscribe(listener: () => void): () => void
  /** Data was received from the server. */
  heard(): void
  /** A request failed or timed out: probe whether the server answers at all. */
  suspect(): void
  /** The server may be back: probe soon instead of waiting for the next attempt. */
  hurry(): void
}

interface Options {
  /** Resolves to whether the server answers now. */
  probe: () => Promise<boolean>
  now?: () => number
  /** 0 to 1 */
  random?: () => number
}

/** The shortest and longest pause in ms between probes of a lost server; the pause doubles each time. */
const shortest = 1000
const longest = 15_000
/** Milliseconds over which pages spread their probes when a network returns. */
const rush = 1000

/**
 * Watches whether the server is reachable. A failed call triggers a probe; only if the probe fails too is the
 * connection lost. It is then probed with growing pauses and jitter, so that a thousand pages do not return at once.
 */
export function watchReach({ probe, now = Date.now, random = Math.random }: Options): ReachWatch {
  const listeners = new Set<() => void>()
  let reach: Reach = { lost: false, heardAt: now() }
  let heardAt = reach.heardAt
  let checking = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const become = (lost: boolean) => {
    if (lost === reach.lost) return
    reach = { lost, heardAt }
    for (const listener of listeners) listener()
  }
  const heard = () => {
    heardAt = now()
    failures = 0
    clearTimeout(timer)
    become(false)
  }
  const check = async () => {
    if (checking) return
    checking = true
    const began = now()
    const answers = await probe().catch(() => false)
    checking = false
    if (answers) return heard()
    // Data was received in the meantime.
    if (heardAt > began) return
    become(true)
    const pause = Math.min(longest, shortest * 2 ** failures++)
    after(pause * (0.5 + random() / 2))
  }
  const after = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), ms)
  }
  return {
    current: () => reach,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    heard,
    suspect: () => {
      if (!reach.lost) void check()
    },
    hurry: () => {
      failures = 0
      after(random() * rush)
    },
  }
}

/** Milliseconds within which the server must answer a probe. */
const patience = 1200

/**
 * Whether a /readyz answer means that the server can serve calls; a proxy that does not know the path counts as
 * reachable. Other parts of the process, such as receiving device messages, may be interrupted.
 */
export async function isServing(answer: Response): Promise<boolean> {
  if (answer.status < 500) return true
  const content: unknown = await answer.json().catch(() => null)
  const { api, writable } = (content ?? {}) as { api?: unknown; writable?: unknown }
  return api === true && writable === true
}

const answers = async () =>
  isServing(await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(patience) }))

const watch = watchReach({ probe: answers })
let isStarted = false

/** The watch for the server of this page. Nothing is requested before the page exists. */
export const reach: ReachWatch = { ...watch, suspect: () => void (isStarted && watch.suspect()) }

/** Whether the server answers, as React state. */
export function useReach(): Reach {
  return useSyncExternalStore(reach.subscribe, reach.current)
}

/**
 * Pauses queries while the server is unreachable and refetches when it is back; the browser's network events are only
 * hints.
 */
export function startReach(): void {
  isStarted = true
  onlineManager.setEventListener((setOnline) => reach.subscribe(() => setOnline(!reach.current().lost)))
  addEventListener('offline', reach.suspect)
  addEventListener('online', reach.hurry)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && reach.current().lost) reach.hurry()
  })
}
