export interface Schedule {
  /** Runs the task at a time (ms since the epoch), or as soon as possible if that time has passed. */
  at(time: number, task: () => void): void
  stop(): void
}

interface Entry {
  time: number
  task: () => void
}

/** The longest sleep in ms, so that a change of the system clock is noticed. */
const longest = 60_000

/** One timer for all tasks of a fleet: a binary heap, earliest first. */
export function createSchedule(clock: () => number): Schedule {
  const heap: Entry[] = []
  let timer: NodeJS.Timeout | undefined
  let wakes = Infinity
  let stopped = false

  function rise(entry: Entry): void {
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (heap[parent]!.time <= entry.time) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = entry
  }

  function take(): Entry {
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = index * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]!.time < heap[child]!.time) child++
      if (heap[child]!.time >= last.time) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
    return first
  }

  function sleep(): void {
    const time = heap[0]?.time
    if (stopped || time === undefined || time >= wakes) return
    clearTimeout(timer)
    wakes = time
    timer = setTimeout(work, Math.min(longest, Math.max(0, time - clock())))
  }

  function work(): void {
    wakes = Infinity
    while (heap.length > 0 && heap[0]!.time <= clock()) take().task()
    sleep()
  }

  return {
    at(time, task) {
      rise({ time, task })
      sleep()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      heap.length = 0
    },
  }
}
