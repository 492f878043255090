import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button, Radio, Select, TextInput } from '@mantine/core'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import { exportInspectionSheet, getLogBook, logBookText, updateLogBook } from '@caretaker/contract/calls/inspection.ts'
import type { DayRange } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { LogBook } from '@caretaker/rules/inspection/sheet.ts'
import { periodFault, yearsTo } from '@caretaker/rules/inspection/sheet.ts'
import { sheetTexts } from '@caretaker/rules/inspection/words.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { saveFile } from '../api/save-file.ts'
import { DateRange } from '../ui/date-range.tsx'
import { Dialog, Problems, questionWidth } from '../ui/dialog.tsx'
import { useZone } from '../ui/zone.tsx'
import classes from './sheet-dialog.module.css'

const formats: { value: SheetFormat; label: string }[] = [
  { value: 'pdf', label: 'PDF' },
  { value: 'xlsx', label: 'Excel' },
]

/** What the log book of a system says, and nothing else in the building does. */
const facts: { fact: keyof LogBook; label: string; description: string }[] = [
  { fact: 'responsible', label: 'Responsible person', description: 'Who answers for the lights' },
  {
    fact: 'certificate',
    label: 'Completion certificate',
    description: 'Its number, its day and where it is kept, as the log book names it',
  },
  {
    fact: 'centralBattery',
    label: 'Central battery',
    description: 'Where it stands and what it feeds, if there is one',
  },
]

export interface SheetBuilding {
  id: string
  name: string
}

interface DialogProps {
  building?: SheetBuilding
  onClose: () => void
}

/** Asks what the sheet is to tell of, and gives the file to the browser. It stays open while the file is written. */
export function SheetDialog({ building, onClose }: DialogProps) {
  const actor = useActor()
  const { tenant } = actor
  const zone = useZone()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const [chosen, setChosen] = useState(building?.id ?? null)
  const [period, setPeriod] = useState<DayRange>(() => yearsTo(today, 1))
  /** What of the log book is said otherwise than it is kept with the building. */
  const [said, setSaid] = useState<Partial<Record<keyof LogBook, string>>>({})
  const [format, setFormat] = useState<SheetFormat>('pdf')
  const [problems, setProblems] = useState<readonly string[]>([])
  const [bytes, setBytes] = useState<number>()
  const { data: buildings } = useQuery({
    queryKey: [tenant, 'buildings'],
    enabled: !building,
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  })
  const { data: logBook } = useQuery({
    queryKey: [tenant, 'buildings', 'log book', chosen],
    enabled: chosen !== null,
    meta: { shows: { subjects: ['building'] } },
    queryFn: ({ signal }) => call(getLogBook, { body: { tenant, buildingId: chosen! } }, { signal }),
  })
  const keeps = can(actor, 'edit buildings')
  const busy = bytes !== undefined
  const whole = period.from && period.to ? { from: period.from, to: period.to } : undefined
  const fault = whole ? periodFault(whole, today) : 'Choose the first and the last day'

  const save = async () => {
    if (!chosen || !whole) return
    setProblems([])
    setBytes(0)
    try {
      if (keeps && Object.keys(said).length > 0)
        await call(updateLogBook, { body: { tenant, buildingId: chosen, ...said } })
      const body = { tenant, buildingId: chosen, ...whole, format, ...said }
      saveFile(await call(exportInspectionSheet, { body }, { onBytes: setBytes }))
      onClose()
    } catch (error) {
      setProblems(textsOf(error))
      setBytes(undefined)
    }
  }

  return (
    <Dialog
      size={questionWidth}
      title="Inspector’s sheet"
      onClose={onClose}
      busy={busy}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void save()
        },
      }}
      actions={
        <>
          <Button variant="default" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={!chosen || fault !== undefined}>
            Download
          </Button>
        </>
      }
    >
      <p className={classes.about}>
        Every emergency light with its monthly and yearly tests, faults and repairs, and what is missing.{' '}
        {sheetTexts.record}
      </p>
      {building ? (
        <TextInput label="Building" value={building.name} readOnly />
      ) : (
        <Select
          label="Building"
          placeholder="Choose"
          data={(buildings ?? []).map((one) => ({ value: one.building, label: one.name }))}
          searchable
          disabled={!buildings || busy}
          comboboxProps={{ withinPortal: true }}
          value={chosen}
          onChange={(id) => {
            setChosen(id)
            setSaid({})
          }}
        />
      )}
      <div className={classes.field}>
        <span className={classes.label}>Period</span>
        <DateRange
          label="Period"
          value={period}
          onChange={setPeriod}
          presets={[1, 5, 10].map((years) => ({
            label: years === 1 ? 'One year' : `${years} years`,
            onPick: () => setPeriod(yearsTo(today, years)),
          }))}
        />
        {fault && <span className={classes.fault}>{fault}</span>}
      </div>
      {facts.map(({ fact, label, description }) => (
        <TextInput
          key={fact}
          label={label}
          description={`${description}; unknown without.`}
          value={said[fact] ?? logBook?.[fact] ?? ''}
          maxLength={logBookText}
          autoComplete="off"
          disabled={busy}
          onChange={({ currentTarget: { value } }) => setSaid((before) => ({ ...before, [fact]: value }))}
        />
      ))}
      <p className={classes.about}>
        {keeps ? 'These three are kept with the building.' : 'What you say here is written into this sheet alone.'}
      </p>
      <Radio.Group label="File" value={format} onChange={(value) => setFormat(value as SheetFormat)}>
        <div className={classes.formats}>
          {formats.map((one) => (
            <Radio key={one.value} {...one} disabled={busy} />
          ))}
        </div>
      </Radio.Group>
      <p className={classes.about} role="status">
        {busy && (bytes === 0 ? 'Writing the sheet …' : `Writing the sheet: ${(bytes / 1e6).toFixed(1)} MB`)}
      </p>
      <Problems texts={problems} />
    </Dialog>
  )
}
