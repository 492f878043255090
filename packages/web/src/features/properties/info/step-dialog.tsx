import { useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import type { PropertyChanges } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { CancelButton, Dialog, Problems, questionWidth } from '../../../ui/dialog.tsx'

interface StepDialogProps {
  title: string
  /** The day that it begins with. */
  day: Day
  /** What is wrong with a day. */
  fault: (day: Day) => string | undefined
  /** What is sent besides the day. */
  said: PropertyChanges
  change: (changes: PropertyChanges) => Promise<void>
  onClose: () => void
}

/** On which day a step of a case was: what the law counts is that day, not the one on which somebody says it. */
export function StepDialog({ title, day: first, fault, said, change, onClose }: StepDialogProps) {
  const today = useToday()
  const [day, setDay] = useState(first)
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const wrong = day ? fault(day) : undefined
  // The day that a step is corrected to is another one than it has.
  const isReady = day !== '' && !wrong && !(said.awaabsLawCorrects && day === first)
  const save = async () => {
    setBusy(true)
    try {
      await change({ ...said, awaabsLawHappenedOn: day })
      onClose()
    } catch (error) {
      setProblems([error instanceof Error ? error.message : String(error)])
      setBusy(false)
    }
  }
  return (
    <Dialog
      size={questionWidth}
      title={title}
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
      <TextInput
        type="date"
        label="When did it happen?"
        max={today}
        value={day}
        error={wrong}
        data-autofocus
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      <Problems texts={problems} />
    </Dialog>
  )
}
