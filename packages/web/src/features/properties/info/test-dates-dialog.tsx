import { useState } from 'react'
import { Button, Radio } from '@mantine/core'
import type { Property } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { ChemicalTestChoice } from '@caretaker/rules/properties/details.ts'
import { chemicalTestChoices, testDayFault } from '@caretaker/rules/properties/details.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { DayField } from '../../../ui/day-field.tsx'
import { CancelButton, Dialog, DraftNote, Problems, questionWidth } from '../../../ui/dialog.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { usePropertyEdit } from '../queries.ts'
import classes from './info.module.css'

interface TestDatesDialogProps {
  property: Property
  /** The dates as entered; dates of records are not edited here. */
  stated: { gas: Day | null; water: Day | null }
  onClose: () => void
  onSaved: () => void
}

const [same, different] = chemicalTestChoices

interface Written {
  gas: string
  choice: ChemicalTestChoice
  typed: string
}

/** The dates of the gas safety and chemical tests. The chemical test is enabled once the gas test is set. */
export function TestDatesDialog({ property, stated, onClose, onSaved }: TestDatesDialogProps) {
  const today = useToday()
  const { change } = usePropertyEdit(property)
  const storedGas = stated.gas ?? ''
  const storedChemical = stated.water ?? ''
  const {
    values,
    change: type,
    isKept,
    clear,
  } = useDraft<Written>(`test dates ${property.propertyId}`, {
    ...{ gas: storedGas, typed: storedChemical },
    choice: storedGas && storedGas === storedChemical ? same : different,
  })
  const { gas, choice, typed } = values
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const chemical = gas && choice === same ? gas : typed
  const faultIn = (day: string) => (day ? testDayFault(day, today) : undefined)
  const isValid = (gas !== '' || chemical !== '') && !faultIn(gas) && !faultIn(chemical)
  const save = async () => {
    setBusy(true)
    try {
      await change({ lastGasSafetyCheckDate: gas || null, lastChemicalTestDate: chemical || null })
      clear()
      onSaved()
      onClose()
    } catch (error) {
      setProblems([error instanceof Error ? error.message : String(error)])
      setBusy(false)
    }
  }
  return (
    <Dialog
      size={questionWidth}
      title="Test dates"
      onClose={onClose}
      busy={busy}
      keepsDraft
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (isValid && !busy) void save()
        },
      }}
      actions={
        <>
          {isKept && <DraftNote onDiscard={clear} />}
          <CancelButton disabled={busy} />
          <Button type="submit" disabled={!isValid} loading={busy}>
            Save
          </Button>
        </>
      }
    >
      <div className={classes.form}>
        <DayField
          label="Gas Safety Test"
          max={today}
          value={gas}
          error={faultIn(gas)}
          data-autofocus
          onChange={(gas) => type({ gas })}
        />
        <Radio.Group
          label="Chemical Test"
          value={choice}
          onChange={(value) => type({ choice: value as ChemicalTestChoice })}
        >
          {chemicalTestChoices.map((one) => (
            <Radio key={one} value={one} label={one} disabled={gas === ''} mt="xs" />
          ))}
        </Radio.Group>
        {choice === different && (
          <DayField
            label="Chemical Test date"
            max={today}
            value={typed}
            error={faultIn(typed)}
            onChange={(typed) => type({ typed })}
          />
        )}
      </div>
      <Problems texts={problems} />
    </Dialog>
  )
}
