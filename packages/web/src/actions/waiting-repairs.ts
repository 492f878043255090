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

/** A photograph, with the id under which the server adds it once. */
export interface RepairPhoto {
  requestId: string
  file: File
}

/** A repair that a person has sent, kept in this browser until the server has recorded it with all its photographs. */
export interface WaitingRepair {
  /** The id under which the server records it once, however often it is sent. */
  requestId: string
  /** `subject` is the person's at the identity provider: no call is made with the token of another one. */
  person: { id: string; name: string; subject?: string }
  target: ActionTarget
  /** When the person sent the form, ms. */
  sentAt: number
  body: RepairBody
  photos: RepairPhoto[]
  /** The zone of the client, by whose clocks the test of the body begins. */
  zone: string
  /** What was typed, to open the form with it again. */
  filled: object
  /** Set once the repair itself is recorded: its photographs are left. */
  repairId?: string
  /** Why the server refused it; it is not sent again until the person has looked at it. */
  problems?: readonly string[]
  /** Set once the repair is recorded without these photographs, which the server refused: `photos` holds them until then, ms. */
  refusedPhotos?: { texts: readonly string[]; keptUntil: number }
}

/** Milliseconds for which photographs are kept that the server refused: long enough to save them elsewhere. */
const keptFor = 30 * 86_400_000

/** The name of the draft of a device's repair form. */
export const repairDraft = (deviceId: string) => `repair ${deviceId}`

/** Whether a repair is still to be sent: neither refused nor recorded. */
export const isUnsent = ({ problems, refusedPhotos }: WaitingRepair) => !problems && !refusedPhotos

/** The end of an attempt to send a repair. */
export type Outcome =
  | { kind: 'waiting' }
  | { kind: 'refused'; problems: readonly string[] }
  | {
      kind: 'recorded'
      status: DeviceStatus | undefined
      testStartsAt: string | null
      /** Whether its test was left out, because the night had passed before it could be sent. */
      isTestTooLate: boolean
      /** Photographs that the server refused, and why. */
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
/** Other tabs show the same list. */
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

/** Removes a repair that was recorded, or that the person discards, with its photographs. */
export async function forgetRepair({ requestId }: Pick<WaitingRepair, 'requestId'>): Promise<void> {
  await run('readwrite', (store) => store.delete(requestId))
  await changed()
}

/** What is left of a repair that the server has recorded: nothing but the photographs that it refused, and not its draft. */
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

/** All repairs of this browser that are not recorded yet, the first one sent first. */
export function useWaitingRepairs(): readonly WaitingRepair[] {
  return useSyncExternalStore(subscribe, () => shown)
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) void load()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The repair of a device that the server refused from this person: the form opens with it. */
export const refusedRepairOf = (deviceId: string, personId: string): WaitingRepair | undefined =>
  shown.find(({ target, person, problems }) => target.deviceId === deviceId && person.id === personId && problems)

/**
 * Sends a repair, or keeps it in this browser until the server can be reached. It is kept before it is sent, so that neither
 * a reload nor a lost answer loses it; one that the server refuses while the form is open stays with the form.
 */
export async function submitRepair(repair: WaitingRepair): Promise<Outcome> {
  if (reach.current().lost) {
    await put(repair)
    await changed()
    return { kind: 'waiting' }
  }
  const wasRefused = shown.some(({ requestId, problems }) => requestId === repair.requestId && problems)
  // Before its turn, which another tab may hold for long. Where the browser keeps nothing it is sent all the same.
  await put(repair).catch(() => undefined)
  return oneAtATime(async () => {
    const outcome = await attempt(repair)
    if (outcome.kind === 'waiting') await changed()
    // What waited once is kept until it is recorded or discarded: no form and no draft holds all of it.
    else if (outcome.kind === 'refused' && wasRefused) {
      await put({ ...repair, problems: outcome.problems }).catch(() => undefined)
      await changed()
    } else if (outcome.kind === 'recorded') await finish(repair, outcome).catch(() => undefined)
    else await forgetRepair(repair).catch(() => undefined)
    return outcome
  })
}

/** Sends the repairs of a person that wait, and reports each that was recorded or refused. None is sent as another person. */
export async function sendWaiting(
  { id, subject }: { id: string; subject: string },
  onEnd: (repair: WaitingRepair, outcome: Exclude<Outcome, { kind: 'waiting' }>) => void,
): Promise<void> {
  await oneAtATime(async () => {
    await load()
    for (const repair of shown.filter((one) => one.person.id === id && isUnsent(one))) {
      // Kept by a version that did not note the subject.
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

/** Tabs take turns: none sends what another one is sending. */
const oneAtATime = <T>(work: () => Promise<T>): Promise<T> => navigator.locks.request('caretaker.repairs', work)

/** Statuses of answers after which the same call may succeed later: not reached, signed out, busy, or starting. */
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
  // One that is recorded has its test already.
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
        // The repair is recorded whatever the server thinks of a photograph.
        if (mayPass(error)) throw error
        refusedPhotos.push(photo)
        reasons.push(...textsOf(error))
      }
    return { kind: 'recorded', status, testStartsAt, isTestTooLate, refusedPhotos, reasons }
  } catch (error) {
    return mayPass(error) ? { kind: 'waiting' } : { kind: 'refused', problems: textsOf(error) }
  }
}
