import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getTestNights } from '@caretaker/contract/calls/lighting.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { inOrder, isOfTests } from '@caretaker/rules/conditions/conditions.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { nightLabel } from '@caretaker/rules/lighting/single.ts'
import { faultSince } from '@caretaker/rules/maintenance/repairs.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { conditionsQuery } from '../api/conditions.ts'
import { devicePageKey, deviceQuery } from '../api/device.ts'
import { useSignIn } from '../api/session.ts'
import { useDraft } from '../ui/draft.ts'
import { useZone } from '../ui/zone.tsx'
import { refreshTenant } from './refresh.ts'
import type { ProofChoice, RepairFaults, RepairFields } from './repair-form.ts'
import { failedPartsOf, modelsOf, partNamesOf, repairBodyOf, repairFaultsOf, repairTimesOf } from './repair-form.ts'
import type { ActionTarget } from './target.ts'
import { toastRecorded } from './waiting-bar.tsx'
import type { RepairPhoto } from './waiting-repairs.ts'
import { isUnsent, refusedRepairOf, repairDraft, submitRepair, useWaitingRepairs } from './waiting-repairs.ts'

/** The tests offered to prove a repair, and the chosen one. */
export interface RepairProof {
  mayTest: boolean
  /** Whether only a 3-hour test at night proves the repair. */
  needsNight: boolean
  areNightsKnown: boolean
  /** The start times of the free nights, earliest first. */
  free: readonly string[]
  choice: ProofChoice
  /** The start of the chosen night. */
  night: string | undefined
  /** When the new battery is charged, in ms, if the test waits for that. */
  chargedAt: number | undefined
}

const noErrors: Partial<RepairFaults> = {}

/** The state of the repair form: fields, errors, offered tests and submission. */
export function useRepair(device: ActionTarget, onClose: () => void) {
  const { actor, user } = usePresence()
  const { tenant } = actor
  const { deviceId } = device
  const zone = useZone()
  const client = useQueryClient()
  const [now] = useState(() => Date.now())
  const signIn = useSignIn()
  const subject = signIn.state === 'signed in' ? signIn.subject : undefined
  // A repair rejected later by the server opens with all its entries.
  const [refused] = useState(() => refusedRepairOf(deviceId, actor.userId))
  const [fresh] = useState(() => crypto.randomUUID())
  const isLight = areaOf(device.product) === 'lighting'
  const { data: known } = useQuery(conditionsQuery(tenant, deviceId))
  const { data: light } = useQuery({ ...deviceQuery(tenant, 'EmergencyLights', deviceId), enabled: isLight })
  const open = (known?.open ?? []).map((one) => ({ ...one, began: Date.parse(one.beganAt) }))
  const faultBegan = faultSince(open)
  const [worst] = inOrder(open.filter((one) => faultSince([one]) !== undefined))
  const models = modelsOf(light?.equipment)
  const failed = open.filter(({ kind }) => isOfTests(kind)).flatMap(failedPartsOf)
  const draft = useDraft<RepairFields>(repairDraft(deviceId), {
    isDevice: false,
    parts: Object.fromEntries(failed.map((part) => [part, { model: models[part], quantity: 1 }])),
    ...{ repairedOn: dayText(dayAt(now, zone)), repairedTime: localTimeAt(now, zone).slice(11), fittedOn: '' },
    ...{ repairedBy: user.name, note: '' },
    ...refused?.filled,
  })
  const { values: fields, change, isKept, clear } = draft
  const [photos, setPhotos] = useState<RepairPhoto[]>(() => refused?.photos ?? [])
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const [isTried, setTried] = useState(false)
  const requestId = fields.requestId ?? refused?.requestId ?? fresh
  const isQueued = useIsQueued(requestId, isBusy, () => {
    clear()
    onClose()
  })

  const faults = repairFaultsOf(fields, { isLight, faultBegan, photos, readClock: Date.now, zone })
  const isValid = Object.values(faults).every((fault) => fault === undefined)
  const hasBattery = partNamesOf(fields, isLight).includes('battery')
  // A flick test does not prove three hours of light: a new battery, or a fault found by a 3-hour test, needs a 3-hour
  // test.
  const needsNight = isLight && (hasBattery || open.some(({ kind, key }) => isOfTests(kind) && key === 'T180'))
  const proof = useProof(device, fields, { isLight, hasBattery, needsNight, now })

  const send = async () => {
    setTried(true)
    const { repairedOn } = repairTimesOf(fields)
    if (!isValid || !repairedOn) return
    setBusy(true)
    setProblems([])
    change({ requestId })
    const { choice, night } = proof
    const body = repairBodyOf(fields, repairedOn, { tenant, deviceId, isLight, zone, proof: choice, night })
    const person = { id: actor.userId, name: user.name, ...(subject !== undefined && { subject }) }
    const repair = { requestId, person, target: device, sentAt: Date.now(), body, photos, zone, filled: fields }
    try {
      const outcome = await submitRepair(repair)
      if (outcome.kind === 'refused') {
        setBusy(false)
        return setProblems(outcome.problems)
      }
      clear()
      onClose()
      if (outcome.kind === 'waiting') return
      void client.invalidateQueries({ queryKey: devicePageKey(tenant, deviceId) })
      void refreshTenant(client, tenant)
      toastRecorded(repair, outcome)
    } catch {
      setBusy(false)
      setProblems(['There is no connection, and this browser could not keep the repair. Try again later.'])
    }
  }
  return {
    ...{ isLight, equipment: light?.equipment, worst, faultBegan, hasBattery, now, zone, userName: user.name },
    ...{ fields, change, isDraft: isKept, discardDraft: clear, photos, setPhotos },
    // A draft may be old, so its errors show at once.
    errors: isTried || isKept ? faults : noErrors,
    photoError: faults.photos,
    ...{ isBusy, isQueued, problems, proof, send },
    maySend: !isTried || isValid,
  }
}

/** Whether the repair was sent before a reload and is still pending. Calls `leave` once it is sent. */
function useIsQueued(requestId: string, isBusy: boolean, leave: () => void): boolean {
  const isQueued = useWaitingRepairs().some((one) => one.requestId === requestId && isUnsent(one)) && !isBusy
  const wasQueued = useRef(false)
  const onLeave = useEffectEvent(leave)
  useEffect(() => {
    if (wasQueued.current && !isQueued && !isBusy) onLeave()
    wasQueued.current = isQueued
  }, [isQueued, isBusy])
  return isQueued
}

interface ProofOf {
  isLight: boolean
  hasBattery: boolean
  needsNight: boolean
  now: number
}

function useProof(device: ActionTarget, fields: RepairFields, of: ProofOf): RepairProof {
  const { isLight, hasBattery, needsNight, now } = of
  const { actor } = usePresence()
  const { tenant } = actor
  const { deviceId } = device
  const zone = useZone()
  const { repairedOn, repairedTime, fittedOn, isTimeValid } = repairTimesOf(fields)
  const battery = hasBattery && repairedOn && isTimeValid
  const { data: offered } = useQuery({
    queryKey: [tenant, 'test nights', deviceId, battery && [repairedOn, repairedTime, fittedOn]],
    enabled: needsNight,
    queryFn: ({ signal }) =>
      call(
        getTestNights,
        {
          body: {
            ...{ tenant, deviceId },
            ...(battery && { batteryOn: repairedOn, ...(repairedTime && { batteryTime: repairedTime }) }),
            ...(battery && fittedOn && { batteryFittedOn: fittedOn }),
          },
        },
        { signal },
      ),
  })
  const free = (offered?.nights ?? []).filter(({ taken }) => !taken).map(({ startsAt }) => startsAt)
  const [first] = free
  const mayTest = isLight && can(actor, 'flick test', device)
  const choice = !mayTest ? 'none' : (fields.proof ?? (needsNight ? 'night' : 'function'))
  const isTonight = first !== undefined && nightLabel(Date.parse(first), { now, zone }).includes('tonight')
  return {
    ...{ mayTest, needsNight, free, choice, areNightsKnown: offered !== undefined },
    night: choice === 'night' ? first : choice === 'another' ? (fields.night ?? free[1]) : undefined,
    chargedAt: offered?.chargedAt && first && !isTonight ? Date.parse(first) : undefined,
  }
}
