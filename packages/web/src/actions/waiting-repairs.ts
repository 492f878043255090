import { useSyncExternalStore } from 'react'
import type { Sent } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import { recordDeviceRepair } from '@caretaker/contract/calls/conditions.ts'
import { addRepairPhoto } from '@caretaker/contract/calls/maintenance.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { startOf } from '@caretaker/rules/lighting/plan.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { answerOf, openStore } from '../api/indexed-db.ts'
import { reach } from '../api/reach.ts'
import { draftOwner, forgetDraft } from '../ui/draft.ts'
import type { ActionTarget } from './target.ts'

export type RepairBody = Sent<RouteOf<typeof recordDeviceRepair>>['body']

/** A photograph with its idempotency id. */
export interface RepairPhoto {
  requestId: string
  file: File
}

/** A sent repair, kept in this browser until the server has recorded it with all photographs. */
export interface WaitingRepair {
  /** The idempotency id of the repair. */
  requestId: string
  /** `subject` is the user's id at the identity provider: no call uses the token of another user. */
  person: { id: string; name: string; subject?: string }
  target: ActionTarget
  /** When the form was sent, in ms. */
  sentAt: number
  body: RepairBody
  photos: RepairPhoto[]
  /** The time zone of the client, used for the start of the test. */
  zone: string
  /** The typed values, to open the form again. */
  filled: object
  /** Set once the repair is recorded and only photographs are left. */
  repairId?: string
  /** Why the server rejected it; it is not sent again until the user has looked at it. */
  problems?: readonly string[]
  /** Set once the repair is recorded without these rejected photographs; `photos` keeps them until then, in ms. */
  refusedPhotos?: { texts: readonly string[]; keptUntil: number }
}

/** Milliseconds for which rejected photographs are kept, so that they can be saved elsewhere. */
const keptFor = 30 * 86_400_000

/** The draft name of a repair form. */
export const repairDraft = (deviceId: string) => `repair ${deviceId}`

/** Whether a repair is still to be sent: neither rejected nor recorded. */
export const isUnsent = ({ problems, refusedPhotos }: WaitingRepair) => !problems && !refusedPhotos

/** The outcome of an attempt to send a repair. */
export type Outcome =
  | { kind: 'waiting' }
  | { kind: 'refused'; problems: readonly string[] }
  | {
      kind: 'recorded'
      status: DeviceStatus | undefined
      testStartsAt: string | null
      /** Whether its test was dropped because the night had passed. */
      isTestTooLate: boolean
      /** Photographs rejected by the server, with the reason. */
      refusedPhotos: RepairPhoto[]
      reasons: string[]
    }

const [database, storeName] = ['caretaker-repairs', 'waiting']
let opened: Promise<IDBDatabase> | undefined

async function run<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  opened ??= openStore(indexedDB, database, storeName, 'requestId').catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return answerOf(ask((await opened).transaction(storeName, mode).objectStore(storeName)))
}

let shown: readonly WaitingRepair[] = []
const listeners = new Set<() => void>()
/** Keeps the list in other tabs in step. */
const channel = new BroadcastChannel('caretaker.repairs')
channel.addEventListener('message', () => void load())

async function load(): Promise<void> {
  const all = await run('readonly', (store) => store.getAll() as IDBRequest<WaitingRepair[]>).catch(() => [])
  const isOver = ({ refusedPhotos }: WaitingRepair) =>
    refusedPhotos !== undefined && refusedPhotos.keptUntil < Date.now()
  for (const { requestId } of all.filter(isOver))
    void run('readwrite', (store) => store.delete(requestId)).catch(() => undefined)
  shown = all.filter((repair) => !isOver(repair)).toSorted((a, b) => a.sentAt - b.sentAt)
  for (const listener of listeners) listener()
}

const put = (repair: WaitingRepair) => run('readwrite', (store) => store.put(repair))

/** Removes a recorded or discarded repair with its photographs. */
export async function forgetRepair({ requestId }: Pick<WaitingRepair, 'requestId'>): Promise<void> {
  await run('readwrite', (store) => store.delete(requestId))
  await changed()
}

/** After recording, keeps only the rejected photographs and deletes the draft. */
async function finish(
  repair: WaitingRepair,
  { refusedPhotos, reasons }: Extract<Outcome, { kind: 'recorded' }>,
): Promise<void> {
  const { person, body, target, requestId } = repair
  forgetDraft(
    draftOwner(person.id, body.tenant),
    repairDraft(target.deviceId),
    (values) => values.requestId === requestId,
  )
  if (!refusedPhotos.length) return forgetRepair(repair)
  const { problems: _, ...rest } = repair
  await put({
    ...rest,
    photos: refusedPhotos,
    refusedPhotos: { texts: [...new Set(reasons)], keptUntil: Date.now() + keptFor },
  })
  await changed()
}

async function changed(): Promise<void> {
  await load()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  channel.postMessage('changed')
}

/** All unrecorded repairs of this browser, oldest first. */
export function useWaitingRepairs(): readonly WaitingRepair[] {
  return useSyncExternalStore(subscribe, () => shown)
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) void load()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The rejected repair of this user for a device, which the form opens with. */
export const refusedRepairOf = (deviceId: string, personId: string): WaitingRepair | undefined =>
  shown.find(({ target, person, problems }) => target.deviceId === deviceId && person.id === personId && problems)

/**
 * Sends a repair, or keeps it in this browser until the server is reachable. It is stored before it is sent, so that
 * neither a reload nor a lost response loses it; a repair rejected while the form is open stays in the form.
 */
export async function submitRepair(repair: WaitingRepair): Promise<Outcome> {
  if (reach.current().lost) {
    await put(repair)
    await changed()
    return { kind: 'waiting' }
  }
  const wasRefused = shown.some(({ requestId, problems }) => requestId === repair.requestId && problems)
  // Stored before waiting for the lock, which another tab may hold for a long time. If storing fails, it is sent
  // anyway.
  await put(repair).catch(() => undefined)
  return oneAtATime(async () => {
    const outcome = await attempt(repair)
    if (outcome.kind === 'waiting') await changed()
    // A repair that was queued is kept until it is recorded or discarded, because no form or draft holds all of it.
    else if (outcome.kind === 'refused' && wasRefused) {
      await put({ ...repair, problems: outcome.problems }).catch(() => undefined)
      await changed()
    } else if (outcome.kind === 'recorded') await finish(repair, outcome).catch(() => undefined)
    else await forgetRepair(repair).catch(() => undefined)
    return outcome
  })
}

/** Sends the pending repairs of a user and reports each result. No repair is sent as another user. */
export async function sendWaiting(
  { id, subject }: { id: string; subject: string },
  onEnd: (repair: WaitingRepair, outcome: Exclude<Outcome, { kind: 'waiting' }>) => void,
): Promise<void> {
  await oneAtATime(async () => {
    await load()
    for (const repair of shown.filter((one) => one.person.id === id && isUnsent(one))) {
      // Stored by a version without the subject.
      const person = { ...repair.person, subject: repair.person.subject ?? subject }
      if (person.subject !== subject) continue
      if (reach.current().lost) return
      const outcome = await attempt({ ...repair, person })
      if (outcome.kind === 'waiting') return
      if (outcome.kind === 'refused') {
        await put({ ...repair, problems: outcome.problems })
        await changed()
      } else await finish(repair, outcome)
      onEnd(repair, outcome)
    }
  })
}

/** A lock shared by the tabs, so that no two of them send the same repair. */
const oneAtATime = <T>(work: () => Promise<T>): Promise<T> => navigator.locks.request('caretaker.repairs', work)

/** Statuses after which the same call may succeed later: unreachable, signed out, busy or starting. */
const passing = [0, 401, 429, 502, 503, 504]
const mayPass = (error: unknown) => error instanceof CallError && passing.includes(error.status)

async function attempt(repair: WaitingRepair): Promise<Outcome> {
  const { body, target, zone, requestId } = repair
  const { subject } = repair.person
  const { tenant } = body
  let { repairId } = repair
  let status: DeviceStatus | undefined
  let testStartsAt: string | null = null
  const { provingTest, ...rest } = body
  // A recorded repair already has its test.
  const isTestTooLate =
    !repairId && provingTest !== undefined && provingTest !== 'function' && startOf(provingTest, zone) < Date.now()
  try {
    if (!repairId) {
      const answer = await call(
        recordDeviceRepair,
        { body: { ...(isTestTooLate ? rest : body), requestId } },
        { subject },
      )
      ;({ repairId, status, testStartsAt } = answer)
      if (repair.photos.length) await put({ ...repair, repairId }).catch(() => undefined)
    }
    const refusedPhotos: RepairPhoto[] = []
    const reasons: string[] = []
    for (const photo of repair.photos)
      try {
        const form = { tenant, deviceId: target.deviceId, repairId, ...photo }
        await call(addRepairPhoto, { form }, { subject })
      } catch (error) {
        // The repair is recorded even if the server rejects a photograph.
        if (mayPass(error)) throw error
        refusedPhotos.push(photo)
        reasons.push(...textsOf(error))
      }
    return { kind: 'recorded', status, testStartsAt, isTestTooLate, refusedPhotos, reasons }
  } catch (error) {
    return mayPass(error) ? { kind: 'waiting' } : { kind: 'refused', problems: textsOf(error) }
  }
}
