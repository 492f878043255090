import { useState } from 'react'
import { Button, Checkbox, Select, TextInput } from '@mantine/core'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { AwaabsLawHazard } from '@caretaker/rules/properties/awaabs-law.ts'
import {
  arrivalOf,
  awaabsLawHazardNames,
  awaabsLawSteps,
  casesOf,
  emergencyOf,
  hazardOf,
} from '@caretaker/rules/properties/awaabs-law.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { CancelButton, Dialog, Problems } from '../../../ui/dialog.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { entriesIn } from './law-entries.ts'
import type { LawChange } from './use-case.ts'
import type { When } from './when-field.tsx'
import { isSameWhen, sentWhen, WhenField, whenOf } from './when-field.tsx'

interface EditCaseProps {
  property: Property
  send: (changes: LawChange[]) => Promise<void>
  onClose: () => void
}

/** Corrects all editable fields of an open case in one dialog; only changed ones are sent. */
export function EditCaseDialog({ property, send, onClose }: EditCaseProps) {
  const today = useToday()
  const zone = useZone()
  const { steps } = casesOf(entriesIn(property.awaabsLawHistory)).at(-1)!
  const known = (one: { on: string; at: number | null }): When =>
    one.at === null ? { day: one.on, time: '' } : whenOf(one.at, zone)
  const [first] = steps
  const found = emergencyOf(steps)
  const hazardBefore = hazardOf(steps)
  /** The steps after the first, each with the entry that holds its date. */
  const arrivals = awaabsLawSteps.slice(1).flatMap((status) => {
    const arrival = arrivalOf(steps, status)
    return arrival && arrival !== first && arrival.status === status ? [{ status, arrival }] : []
  })
  const [hazard, setHazard] = useState(hazardBefore)
  const [aware, setAware] = useState(() => known(first!))
  const [isEmergency, setEmergency] = useState(found !== undefined)
  const [foundAt, setFoundAt] = useState(() => (found ? known(found) : whenOf(Date.now(), zone)))
  const [dates, setDates] = useState<Record<string, When>>(() =>
    Object.fromEntries(arrivals.map(({ arrival }) => [arrival.id, known(arrival)])),
  )
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const why = reason.trim() ? { reason: reason.trim() } : {}
  const isOwnEntry = found !== undefined && found.id !== first!.id
  const corrections = [
    ...(isSameWhen(aware, known(first!)) ? [] : [{ corrects: first!.id, ...sentWhen(aware, zone), ...why }]),
    ...arrivals.flatMap(({ arrival }) =>
      isSameWhen(dates[arrival.id]!, known(arrival))
        ? []
        : [{ corrects: arrival.id, ...sentWhen(dates[arrival.id]!, zone), ...why }],
    ),
    ...(found && isOwnEntry && isEmergency && !isSameWhen(foundAt, known(found))
      ? [{ corrects: found.id, ...sentWhen(foundAt, zone), ...why }]
      : []),
  ]
  const changes: LawChange[] = [
    ...corrections,
    ...(hazard && hazard !== hazardBefore ? [{ hazard, ...why }] : []),
    ...(isEmergency && !found ? [{ emergency: true, ...sentWhen(foundAt, zone), ...why }] : []),
    ...(!isEmergency && found ? [{ emergency: false, ...why }] : []),
  ]
  const isComplete = isDay(aware.day) && Object.values(dates).every(({ day }) => isDay(day)) && isDay(foundAt.day)
  const needsReason = corrections.length > 0 || (!isEmergency && found !== undefined)
  const isReady = changes.length > 0 && isComplete && (!needsReason || reason.trim() !== '')
  const save = async () => {
    setBusy(true)
    try {
      await send(changes)
      onClose()
    } catch (error) {
      setProblems([error instanceof Error ? error.message : String(error)])
      setBusy(false)
    }
  }
  return (
    <Dialog
      wide
      title="Edit case"
      onClose={onClose}
      busy={busy}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (isReady && !busy) void save()
        },
      }}
      actions={
        <>
          <CancelButton disabled={busy} />
          <Button type="submit" disabled={!isReady} loading={busy}>
            Save
          </Button>
        </>
      }
    >
      <Select
        label="Hazard"
        placeholder="Choose a hazard"
        data={awaabsLawHazardNames}
        value={hazard}
        allowDeselect={false}
        data-autofocus
        onChange={(chosen) => chosen && setHazard(chosen as AwaabsLawHazard)}
      />
      <WhenField label="Aware since" value={aware} max={today} withTime onChange={setAware} />
      <Checkbox
        label="Emergency"
        checked={isEmergency}
        onChange={(event) => setEmergency(event.currentTarget.checked)}
      />
      {isEmergency && (!found || isOwnEntry) && (
        <WhenField label="Emergency found" value={foundAt} max={today} withTime onChange={setFoundAt} />
      )}
      {arrivals.map(({ status, arrival }) => (
        <WhenField
          key={arrival.id}
          label={`${awaabsLawSteps[awaabsLawSteps.indexOf(status) - 1]} completed, ${status} since`}
          value={dates[arrival.id]!}
          max={today}
          withTime={isEmergency}
          onChange={(value) => setDates((now) => ({ ...now, [arrival.id]: value }))}
        />
      ))}
      {needsReason && (
        <TextInput
          label="Why is it corrected?"
          description="A missed deadline stays in the breach register with this reason."
          required
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      <Problems texts={problems} />
    </Dialog>
  )
}
