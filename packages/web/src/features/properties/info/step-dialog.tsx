import { useState } from 'react'
import { Button, Checkbox, Select, Textarea } from '@mantine/core'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import type { AwaabsLawHazard } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawHazardNames, awaabsLawSteps } from '@caretaker/rules/properties/awaabs-law.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { CancelButton, Dialog, Problems, questionWidth } from '../../../ui/dialog.tsx'
import { useZone } from '../../../ui/zone.tsx'
import type { LawChange } from './use-case.ts'
import { sentWhen, WhenField, whenOf } from './when-field.tsx'

interface StepDialogProps {
  /** The chosen step, and the current step of the case; null without an open case. */
  status: AwaabsLawStatus
  current: AwaabsLawStatus | null
  isEmergency: boolean
  send: (changes: LawChange[]) => Promise<void>
  onClose: () => void
}

const titleOf = (status: AwaabsLawStatus, current: AwaabsLawStatus | null, isBack: boolean) => {
  if (current === null) return 'New case'
  if (status === 'None') return 'Close the case'
  return isBack ? `Back to ${status}` : `Complete ${current}`
}

/** Enters a step of a case; the fields depend on whether the case starts, advances, goes back or closes. */
export function StepDialog({ status, current, isEmergency, send, onClose }: StepDialogProps) {
  const today = useToday()
  const zone = useZone()
  const rank = (one: AwaabsLawStatus) => awaabsLawSteps.indexOf(one as (typeof awaabsLawSteps)[number])
  const isNew = current === null
  const isClosing = status === 'None'
  const isBack = current !== null && !isClosing && rank(status) < rank(current)
  const [when, setWhen] = useState(() => whenOf(Date.now(), zone))
  const [hazard, setHazard] = useState<AwaabsLawHazard>('Damp and mould')
  const [urgent, setUrgent] = useState(false)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const withTime = isNew ? urgent : isEmergency
  const isReady = isBack || (isDay(when.day) && (!isClosing || reason.trim() !== '') && (!withTime || when.time !== ''))
  const save = async () => {
    setBusy(true)
    try {
      const at = isBack ? {} : sentWhen(withTime ? when : { ...when, time: '' }, zone)
      await send([
        {
          ...{ status, ...at },
          ...(isNew && { hazard, ...(urgent && { emergency: true }) }),
          ...(reason.trim() && { reason: reason.trim() }),
        },
      ])
      onClose()
    } catch (error) {
      setProblems([error instanceof Error ? error.message : String(error)])
      setBusy(false)
    }
  }
  return (
    <Dialog
      size={questionWidth}
      title={titleOf(status, current, isBack)}
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
            {isNew ? 'Open case' : isClosing ? 'Close case' : isBack ? 'Go back' : 'Save'}
          </Button>
        </>
      }
    >
      {isBack ? (
        <p>All dates and deadlines of the case are kept. A missed deadline stays overdue.</p>
      ) : (
        <WhenField
          label={isNew ? 'Aware since' : isClosing ? 'Closed on' : 'Completed on'}
          value={when}
          max={today}
          withTime={withTime}
          focus
          onChange={setWhen}
        />
      )}
      {isNew && (
        <>
          <Select
            label="Hazard"
            data={awaabsLawHazardNames}
            value={hazard}
            allowDeselect={false}
            onChange={(chosen) => chosen && setHazard(chosen as AwaabsLawHazard)}
          />
          <Checkbox
            label="Emergency: make safe within 24 hours"
            checked={urgent}
            onChange={(event) => setUrgent(event.currentTarget.checked)}
          />
        </>
      )}
      {isClosing && (
        <Textarea
          label="Why is the case closed?"
          required
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      <Problems texts={problems} />
    </Dialog>
  )
}
