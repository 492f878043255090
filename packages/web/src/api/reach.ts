import { useSyncExternalStore } from 'react'
import { onlineManager } from '@tanstack/react-query'

/** Whether the server answers, as this tab knows it, and when anything was last heard from it (ms since the epoch). */
export interface Reach {
  lost: boolean
  heardAt: number
}

export interface ReachWatch {
  current(): Reach
  subscribe(listener: () => void): () => void
  /** Something came from the server. */
  heard(): void
  /** Something failed, or did not come: it is asked whether the server answers at all. */
  suspect(): void
  /** It may be back: it is asked soon, and not only when its time comes. */
  hurry(): void
}

interface Options {
  /** Whether the server answers now. */
  probe: () => Promise<boolean>
  now?: () => number
  /** 0 to 1 */
  random?: () => number
}

/** Milliseconds between two questions whether a lost server is back: doubled each time, from the one to the other. */
const shortest = 1000
const longest = 15_000
/** Milliseconds over which those spread who all learn at once that a network is back. */
const rush = 1000

/**
 * Watches whether the server can be reached. One failed call is no loss: only when the server does not answer a question
 * of the watch's own either is the connection lost. It is then asked again and again, ever more seldom, each page at moments
 * of its own, so that a thousand pages do not come back at once.
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
    // Something came meanwhile by another way.
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

/** Milliseconds that the server has to answer the question whether it is there. */
const patience = 1200

/**
 * Whether an answer of /readyz says that the server can answer calls; a proxy before it may know no such question, and is then there
 * itself. What else the same process does, such as taking in messages of devices, may be interrupted meanwhile: pages go on.
 */
export async function isServing(answer: Response): Promise<boolean> {
  if (answer.status < 500) return true
  const said: unknown = await answer.json().catch(() => null)
  const { api, writable } = (said ?? {}) as { api?: unknown; writable?: unknown }
  return api === true && writable === true
}

const answers = async () =>
  isServing(await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(patience) }))

const watch = watchReach({ probe: answers })
let isStarted = false

/** The server of this page. Nothing is asked of it before there is a page to say so. */
export const reach: ReachWatch = { ...watch, suspect: () => void (isStarted && watch.suspect()) }

/** Whether the server answers, on the screen. */
export function useReach(): Reach {
  return useSyncExternalStore(reach.subscribe, reach.current)
}

/**
 * Lets what is asked for wait while the server cannot be reached, and be asked again when it can; and listens to what the
 * browser says of the network, which is only a hint.
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
