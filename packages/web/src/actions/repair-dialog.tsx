import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ActionIcon, Button, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Condition } from '@caretaker/contract/conditions.ts'
import type { Equipment } from '@caretaker/contract/equipment.ts'
import { getTestNights } from '@caretaker/contract/calls/lighting.ts'
import { dayAt, dayFrom, dayText } from '@caretaker/rules/calendar/days.ts'
import { conditionText } from '@caretaker/rules/conditions/words.ts'
import { inOrder, isOfTests } from '@caretaker/rules/conditions/conditions.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { wallTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { chargeText, nightLabel, nightText } from '@caretaker/rules/lighting/single.ts'
import type { LightPart } from '@caretaker/rules/maintenance/forms.ts'
import { descriptionLength, formTexts, lightPartLabels, lightParts } from '@caretaker/rules/maintenance/forms.ts'
import {
  faultSince,
  longestPhoto,
  mostPhotos,
  repairTexts,
  repairTimeFault,
} from '@caretaker/rules/maintenance/repairs.ts'
import { photoFault } from '@caretaker/rules/properties/records.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { conditionsQuery } from '../api/conditions.ts'
import { deviceQuery, devicePageKey } from '../api/device.ts'
import { useReach } from '../api/reach.ts'
import { useSignIn } from '../api/session.ts'
import { IconTrash } from '../icons/index.ts'
import checks from '../ui/check.module.css'
import { CancelButton, Dialog, DraftNote, Problems } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { useZone } from '../ui/zone.tsx'
import { refreshTenant } from './refresh.ts'
import classes from './repair.module.css'
import type { ActionTarget } from './target.ts'
import { toastRecorded } from './waiting-bar.tsx'
import type { RepairBody, RepairPhoto } from './waiting-repairs.ts'
import { isUnsent, refusedRepairOf, repairDraft, submitRepair, useWaitingRepairs } from './waiting-repairs.ts'

const offlineText = 'No connection. The repair is kept in this browser and sent when the connection is back.'

const queuedText =
  'This repair was sent before the page was loaded again, and waits in this browser for the server. It is recorded once.'

/** What is typed into the form, as it is kept in this browser until it is sent. */
interface Filled {
  isDevice: boolean
  parts: Partial<Record<LightPart, { model: string; quantity: number }>>
  repairedOn: string
  repairedTime: string
  fittedOn: string
  repairedBy: string
  note: string
  /** Undefined as long as nobody has chosen: the first that is offered. */
  proof?: Proof
  /** Of another night. */
  night?: string
  /** Under which it was sent: once more, after a reload, it is sent under the same. */
  requestId?: string
}
type Proof = 'night' | 'another' | 'function' | 'none'

const isTime = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** The only form by which a repair is recorded: what was replaced, when and by whom, and the test that proves it. */
export function RepairDialog({ target: device, onClose }: { target: ActionTarget; onClose: () => void }) {
  const { actor, user } = usePresence()
  const { tenant } = actor
  const { deviceId } = device
  const zone = useZone()
  const client = useQueryClient()
  const { lost } = useReach()
  const [now] = useState(() => Date.now())
  const signIn = useSignIn()
  const subject = signIn.state === 'signed in' ? signIn.subject : undefined
  // One that the server refused later is opened with all that was sent.
  const [refused] = useState(() => refusedRepairOf(deviceId, actor.userId))
  const [fresh] = useState(() => crypto.randomUUID())
  const isLight = areaOf(device.product) === 'lighting'
  const { data: known } = useQuery(conditionsQuery(tenant, deviceId))
  const { data: light } = useQuery({ ...deviceQuery(tenant, 'EmergencyLights', deviceId), enabled: isLight })
  const open = (known?.open ?? []).map((one) => ({ ...one, began: Date.parse(one.beganAt) }))
  const [worst] = inOrder(open.filter((one) => faultSince([one]) !== undefined))
  const [today, time] = [dayAt(now, zone), wallTimeAt(now, zone).slice(11)]
  const models = modelsOf(light?.equipment)
  const failed = open.filter(({ kind }) => isOfTests(kind)).flatMap(failedParts)
  const { values, change, isKept, clear } = useDraft<Filled>(repairDraft(deviceId), {
    isDevice: false,
    parts: Object.fromEntries(failed.map((part) => [part, { model: models[part], quantity: 1 }])),
    ...{ repairedOn: dayText(today), repairedTime: time, fittedOn: '', repairedBy: user.name, note: '' },
    ...refused?.filled,
  })
  const [photos, setPhotos] = useState<RepairPhoto[]>(() => refused?.photos ?? [])
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const [isTried, setTried] = useState(false)
  const requestId = values.requestId ?? refused?.requestId ?? fresh
  const isQueued = useWaitingRepairs().some((one) => one.requestId === requestId && isUnsent(one)) && !busy
  const wasQueued = useRef(false)
  const leave = useEffectEvent(() => {
    clear()
    onClose()
  })
  useEffect(() => {
    if (wasQueued.current && !isQueued && !busy) leave()
    wasQueued.current = isQueued
  }, [isQueued, busy])

  const names = isLight ? lightParts.filter((part) => values.parts[part]) : []
  const hasBattery = names.includes('battery')
  const repairedOn = dayFrom(values.repairedOn)
  const fittedOn = values.fittedOn ? dayFrom(values.fittedOn) : undefined
  const isTimeRight = values.repairedTime === '' || isTime(values.repairedTime)
  const repairedTime = values.repairedTime || undefined
  const faults = {
    parts: isLight && !names.length && !values.note.trim() ? repairTexts.empty : undefined,
    note: isLight || values.note.trim() ? undefined : formTexts.empty,
    repairedOn: !repairedOn
      ? 'Enter a day as DD/MM/YYYY'
      : isTimeRight
        ? repairTimeFault({ repairedOn, repairedTime }, faultSince(open), { now: Date.now(), zone })
        : undefined,
    repairedTime: isTimeRight ? undefined : 'Enter a time as HH:MM',
    fittedOn:
      !hasBattery || !values.fittedOn
        ? undefined
        : fittedOn
          ? fittedOn > today
            ? repairTexts.future
            : undefined
          : 'Enter a day as DD/MM/YYYY',
    repairedBy: values.repairedBy.trim() ? undefined : 'Enter who repaired it',
    photos: photos.some(({ file }) => file.size > longestPhoto)
      ? repairTexts.photo
      : photos.map(({ file }) => photoFault(file)).find((fault) => fault !== undefined),
  }
  const isRight = Object.values(faults).every((fault) => fault === undefined)

  // A flick test proves no three hours of light: a new battery, and what failed in such a test, needs one as long.
  const needsNight = isLight && (hasBattery || open.some(({ kind, key }) => isOfTests(kind) && key === 'T180'))
  const battery = hasBattery && repairedOn && isTimeRight
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
  const first = free[0]
  const mayTest = isLight && can(actor, 'flick test', device)
  const proof: Proof = !mayTest ? 'none' : (values.proof ?? (needsNight ? 'night' : 'function'))
  const night = proof === 'night' ? first : proof === 'another' ? (values.night ?? free[1]) : undefined
  const charges = offered?.chargedAt && first && isLaterThanTonight(first, now, zone) ? Date.parse(first) : undefined

  const send = async () => {
    setTried(true)
    if (!isRight || !repairedOn) return
    setBusy(true)
    setProblems([])
    change({ requestId })
    const body: RepairBody = {
      ...{ tenant, deviceId, part: values.isDevice ? 'device' : 'equipment', repairedOn },
      parts: names.map((part) => {
        const { model, quantity } = values.parts[part]!
        return { part, quantity, ...(model.trim() && { model: model.trim() }) }
      }),
      repairedBy: values.repairedBy.trim(),
      ...(repairedTime && { repairedTime }),
      ...(hasBattery && fittedOn && { batteryFittedOn: fittedOn }),
      ...(values.note.trim() && { note: values.note }),
      ...(proof === 'function' && { provingTest: 'function' as const }),
      ...(night && { provingTest: wallTimeAt(Date.parse(night), zone) }),
    }
    const person = { id: actor.userId, name: user.name, ...(subject !== undefined && { subject }) }
    const repair = { requestId, person, target: device, sentAt: Date.now(), body, photos, zone, filled: values }
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

  const tick = (part: LightPart) => {
    const { [part]: ticked, ...others } = values.parts
    change({ parts: ticked ? others : { ...values.parts, [part]: { model: models[part], quantity: 1 } } })
  }
  const errorOf = (field: keyof typeof faults) => (isTried || isKept ? faults[field] : undefined)
  if (isQueued)
    return (
      <Dialog
        title={`Repair ${device.name || device.serialNumber}`}
        onClose={onClose}
        actions={<CancelButton label="Close" />}
      >
        <p>{queuedText}</p>
      </Dialog>
    )
  return (
    <Dialog
      title={`Repair ${device.name || device.serialNumber}`}
      wide
      keepsDraft
      onClose={onClose}
      busy={busy}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void send()
        },
      }}
      actions={
        <>
          <p className={classes.entered}>
            Entered by {user.name}
            {lost && <span>{offlineText}</span>}
            {isKept && <DraftNote onDiscard={clear} />}
          </p>
          <CancelButton disabled={busy} />
          <Button type="submit" loading={busy} disabled={isTried && !isRight}>
            {night ? 'Save repair and plan test' : 'Save repair'}
          </Button>
        </>
      }
    >
      {worst && <p className={classes.fault}>{textOf(worst)}</p>}
      {isLight ? (
        <fieldset className={classes.parts} disabled={busy}>
          <legend>Parts replaced</legend>
          {lightParts.map((part) => {
            const ticked = values.parts[part]
            return (
              <div key={part} className={classes.part}>
                <label className={checks.choice}>
                  <input type="checkbox" className={checks.box} checked={Boolean(ticked)} onChange={() => tick(part)} />
                  {lightPartLabels[part]}
                </label>
                {ticked && (
                  <>
                    <TextInput
                      aria-label={`Model of ${part}`}
                      placeholder="Model"
                      maxLength={100}
                      value={ticked.model}
                      onChange={(event) =>
                        change({ parts: { ...values.parts, [part]: { ...ticked, model: event.currentTarget.value } } })
                      }
                    />
                    <TextInput
                      type="number"
                      aria-label={`Quantity of ${part}`}
                      min={1}
                      max={20}
                      value={ticked.quantity}
                      onChange={(event) => {
                        const quantity = Math.min(20, Math.max(1, Math.floor(Number(event.currentTarget.value)) || 1))
                        change({ parts: { ...values.parts, [part]: { ...ticked, quantity } } })
                      }}
                    />
                  </>
                )}
              </div>
            )
          })}
          {errorOf('parts') && (
            <p className={classes.wrong} role="alert">
              {faults.parts}
            </p>
          )}
        </fieldset>
      ) : (
        <Select
          label="Repaired"
          allowDeselect={false}
          data={[
            { value: 'equipment', label: 'Equipment' },
            { value: 'device', label: 'Device itself' },
          ]}
          value={values.isDevice ? 'device' : 'equipment'}
          onChange={(part) => change({ isDevice: part === 'device' })}
        />
      )}
      <div className={classes.row}>
        <TextInput
          label="Repaired on"
          description={worst ? `${dayText(dayAt(faultSince(open)!, zone))} or later` : 'DD/MM/YYYY'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={values.repairedOn}
          error={errorOf('repairedOn')}
          onChange={(event) => change({ repairedOn: event.currentTarget.value })}
        />
        <TextInput
          label="Time"
          description="HH:MM"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={values.repairedTime}
          error={errorOf('repairedTime')}
          onChange={(event) => change({ repairedTime: event.currentTarget.value })}
        />
        {hasBattery && (
          <TextInput
            label="Battery fitted on"
            description={
              light?.equipment.batterySince ? `Previous: ${dayText(light.equipment.batterySince)}` : 'If on a later day'
            }
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={values.fittedOn}
            error={errorOf('fittedOn')}
            onChange={(event) => change({ fittedOn: event.currentTarget.value })}
          />
        )}
        <TextInput
          label="Repaired by"
          maxLength={100}
          value={values.repairedBy}
          error={errorOf('repairedBy')}
          onChange={(event) => change({ repairedBy: event.currentTarget.value })}
        />
      </div>
      <Textarea
        label="Note"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={descriptionLength}
        value={values.note}
        error={errorOf('note')}
        onChange={(event) => change({ note: event.currentTarget.value })}
      />
      <fieldset className={classes.parts} disabled={busy}>
        <legend>
          Photos <span>optional, up to {mostPhotos}</span>
        </legend>
        {photos.map(({ requestId: id, file: photo }, at) => (
          <div key={id} className={classes.photo}>
            <span>
              {photo.name}, {megabytes(photo.size)}
            </span>
            <ActionIcon
              variant="subtle"
              aria-label={`Remove ${photo.name}`}
              onClick={() => setPhotos(photos.toSpliced(at, 1))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        {photos.length < mostPhotos && (
          <input
            type="file"
            multiple
            accept="image/jpeg,image/png,image/webp"
            aria-label="Add photo"
            onChange={(event) => {
              setPhotos([...photos, ...[...(event.currentTarget.files ?? [])].map(newPhoto)].slice(0, mostPhotos))
              event.currentTarget.value = ''
            }}
          />
        )}
        {isKept && photos.length > 0 && (
          <p className={classes.aside}>Photos are not part of the draft. They are kept once the repair is saved.</p>
        )}
        {faults.photos && (
          <p className={classes.wrong} role="alert">
            {faults.photos}
          </p>
        )}
      </fieldset>
      {mayTest && (
        <fieldset className={classes.proofs} disabled={busy}>
          <legend>Test to prove the repair</legend>
          {needsNight ? (
            <>
              <ProofChoice
                is={proof === 'night'}
                choose={() => change({ proof: 'night' })}
                label={first ? nightLabel(Date.parse(first), { now, zone }) : '3-hour test in the next free night'}
                text={
                  first
                    ? `This light only. ${nightText(Date.parse(first), zone)}.${charges ? ` ${chargeText(charges, zone)}` : ''}`
                    : offered
                      ? 'No night of the next 14 is free.'
                      : 'Which nights are free is not known yet. Without one, no test is planned.'
                }
              />
              <ProofChoice
                is={proof === 'another'}
                choose={() => change({ proof: 'another' })}
                label="Another night"
                text="The next free nights are offered."
              />
              {proof === 'another' && (
                <Select
                  aria-label="Night of the test"
                  allowDeselect={false}
                  data={free.map((at) => ({ value: at, label: nightText(Date.parse(at), zone) }))}
                  value={night ?? null}
                  onChange={(at) => change({ night: at! })}
                />
              )}
            </>
          ) : (
            <ProofChoice
              is={proof === 'function'}
              choose={() => change({ proof: 'function' })}
              label="Function test now"
              text="The light tests itself for some seconds."
            />
          )}
          <ProofChoice
            is={proof === 'none'}
            choose={() => change({ proof: 'none' })}
            label="No test now"
            text="The fault stays “repaired, not yet proven”."
          />
        </fieldset>
      )}
      <Problems texts={problems} />
    </Dialog>
  )
}

interface ProofChoiceProps {
  is: boolean
  choose: () => void
  label: string
  text: string
}

function ProofChoice({ is, choose, label, text }: ProofChoiceProps) {
  return (
    <label className={classes.proof} data-chosen={is || undefined}>
      <input type="radio" name="proof" checked={is} onChange={choose} />
      <span>
        <b>{label}</b>
        <span>{text}</span>
      </span>
    </label>
  )
}

/** Whether the night begins later than the coming 02:00. */
const isLaterThanTonight = (night: string, now: number, zone: string) =>
  !nightLabel(Date.parse(night), { now, zone }).includes('tonight')

/** What is in the light now, by part. */
function modelsOf(equipment: Equipment | undefined): Record<LightPart, string> {
  const [battery] = equipment?.batteries ?? []
  return {
    battery: battery ? `${battery.type}, ${battery.voltage} V, ${battery.capacity} Ah` : '',
    inverter: equipment?.inverter ?? '',
    lamp: equipment?.luminaireType ?? '',
    luminaire: equipment?.luminaireName ?? '',
  }
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB`

const newPhoto = (file: File): RepairPhoto => ({ requestId: crypto.randomUUID(), file })

const failedParts = ({ states }: Condition): LightPart[] =>
  (['Battery', 'Inverter', 'Lamp'] as const)
    .filter((part) => states?.[part] === 'Failed')
    .map((part) => part.toLowerCase() as LightPart)

function textOf({ kind, key, description, states }: Condition): string {
  const known = Object.fromEntries(Object.entries(states ?? {}).filter(([, state]) => state !== undefined))
  return conditionText({ kind, key, description, ...(states && { states: known }) })
}
