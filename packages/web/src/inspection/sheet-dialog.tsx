import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button, Radio, Select, TextInput } from '@mantine/core'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import type { DayRange } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { periodFault, yearsTo } from '@caretaker/rules/inspection/sheet.ts'
import { sheetTexts } from '@caretaker/rules/inspection/words.ts'
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
  const { tenant } = useActor()
  const zone = useZone()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const [chosen, setChosen] = useState(building?.id ?? null)
  const [period, setPeriod] = useState<DayRange>(() => yearsTo(today, 1))
  const [responsible, setResponsible] = useState('')
  const [certificate, setCertificate] = useState('')
  const [centralBattery, setCentralBattery] = useState('')
  const [format, setFormat] = useState<SheetFormat>('pdf')
  const [problems, setProblems] = useState<readonly string[]>([])
  const [bytes, setBytes] = useState<number>()
  const { data: buildings } = useQuery({
    queryKey: [tenant, 'buildings'],
    enabled: !building,
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  })
  const busy = bytes !== undefined
  const whole = period.from && period.to ? { from: period.from, to: period.to } : undefined
  const fault = whole ? periodFault(whole, today) : 'Choose the first and the last day'

  const save = async () => {
    if (!chosen || !whole) return
    setProblems([])
    setBytes(0)
    try {
      const said = {
        ...(responsible.trim() && { responsible }),
        ...(certificate.trim() && { certificate }),
        ...(centralBattery.trim() && { centralBattery }),
      }
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
          onChange={setChosen}
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
      <TextInput
        label="Responsible person"
        description="Written into the sheet as you say it; unknown without."
        value={responsible}
        maxLength={200}
        autoComplete="off"
        disabled={busy}
        onChange={(event) => setResponsible(event.currentTarget.value)}
      />
      <TextInput
        label="Completion certificate"
        description="Its number, its day and where it is kept, as the log book names it; unknown without."
        value={certificate}
        maxLength={200}
        autoComplete="off"
        disabled={busy}
        onChange={(event) => setCertificate(event.currentTarget.value)}
      />
      <TextInput
        label="Central battery"
        description="Where it stands and what it feeds, if there is one; unknown without."
        value={centralBattery}
        maxLength={200}
        autoComplete="off"
        disabled={busy}
        onChange={(event) => setCentralBattery(event.currentTarget.value)}
      />
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
