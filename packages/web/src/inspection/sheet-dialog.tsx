import { useId, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, MultiSelect, Radio, TextInput } from '@mantine/core'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import type { SheetFormat } from '@caretaker/contract/inspection.ts'
import {
  exportInspectionSheet,
  getLogBook,
  logBookText,
  startInspectionSheets,
  updateLogBook,
} from '@caretaker/contract/calls/inspection.ts'
import type { DayRange } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { LogBook } from '@caretaker/rules/inspection/sheet.ts'
import { periodFault, yearsTo } from '@caretaker/rules/inspection/sheet.ts'
import { sheetTexts } from '@caretaker/rules/inspection/words.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { saveFile } from '../api/save-file.ts'
import { DateRange } from '../ui/date-range.tsx'
import { CancelButton, Dialog, Problems, questionWidth } from '../ui/dialog.tsx'
import { useGoTo } from '../ui/link.tsx'
import { showSticky } from '../ui/toasts.tsx'
import { useZone } from '../ui/zone.tsx'
import classes from './sheet-dialog.module.css'

const formats: { value: SheetFormat; label: string }[] = [
  { value: 'pdf', label: 'PDF' },
  { value: 'xlsx', label: 'Excel' },
]

/** Entries of the log book that are not stored elsewhere. */
const facts: { fact: keyof LogBook; label: string; description: string }[] = [
  { fact: 'responsible', label: 'Responsible person', description: 'Who is responsible for the lights' },
  {
    fact: 'certificate',
    label: 'Completion certificate',
    description: 'Number, date and place of storage, as in the log book',
  },
  {
    fact: 'centralBattery',
    label: 'Central battery',
    description: 'Location of the battery and the circuits that it supplies',
  },
]

/** The value for all buildings. */
const all = 'all'

export interface SheetBuilding {
  id: string
  name: string
}

interface DialogProps {
  building?: SheetBuilding
  onClose: () => void
}

/** Asks for the content of the sheet and downloads the file. It stays open while the file is written. */
export function SheetDialog({ building, onClose }: DialogProps) {
  const actor = useActor()
  const { tenant } = actor
  const zone = useZone()
  const queryClient = useQueryClient()
  const reasonId = useId()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const [picked, setPicked] = useState<readonly string[]>(building ? [building.id] : [])
  const isAll = picked.includes(all)
  /** A single building is written at once; several are queued and stored. */
  const chosen = !isAll && picked.length === 1 ? picked[0]! : null
  const isMany = isAll || picked.length > 1
  const goTo = useGoTo()
  const [period, setPeriod] = useState<DayRange>(() => yearsTo(today, 1))
  /** The entries that differ from those stored with the building. */
  const [logBookEntries, setEntries] = useState<Partial<Record<keyof LogBook, string>>>({})
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
  const missing = picked.length === 0 ? 'Choose a building to download its sheet.' : fault && `${fault}.`

  const save = async () => {
    if (!whole || missing) return
    setProblems([])
    setBytes(0)
    try {
      if (!chosen) {
        await call(startInspectionSheets, {
          body: { tenant, buildingIds: isAll ? null : [...picked], ...whole, format },
        })
        await queryClient.invalidateQueries({ queryKey: [tenant, 'report runs'] })
        showSticky('The sheets are being prepared.', {
          label: 'My Reports',
          onPress: () => goTo(pathTo(tenant, 'Reporting', 'myReports')),
        })
        onClose()
        return
      }
      if (keeps && Object.keys(logBookEntries).length > 0)
        await call(updateLogBook, { body: { tenant, buildingId: chosen, ...logBookEntries } })
      const body = { tenant, buildingId: chosen, ...whole, format, ...logBookEntries }
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
          <CancelButton disabled={busy} />
          <Button type="submit" loading={busy} disabled={missing !== undefined} aria-describedby={reasonId}>
            {isMany ? 'Create sheets' : 'Download'}
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
        <MultiSelect
          label="Buildings"
          placeholder={picked.length === 0 ? 'Choose' : ''}
          description="Sheets for several buildings are saved in one archive, with one file per building."
          data={[
            { value: all, label: 'All buildings' },
            ...(buildings ?? []).map((one) => ({ value: one.building, label: one.name })),
          ]}
          searchable
          clearable
          disabled={!buildings || busy}
          comboboxProps={{ withinPortal: true }}
          value={[...picked]}
          onChange={(ids) => {
            setPicked(ids.at(-1) === all ? [all] : ids.filter((id) => id !== all))
            setEntries({})
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
      {!isMany &&
        facts.map(({ fact, label, description }) => (
          <TextInput
            key={fact}
            label={label}
            description={`${description}. If empty, the sheet states “unknown”.`}
            value={logBookEntries[fact] ?? logBook?.[fact] ?? ''}
            maxLength={logBookText}
            autoComplete="off"
            disabled={busy}
            onChange={({ currentTarget: { value } }) => setEntries((before) => ({ ...before, [fact]: value }))}
          />
        ))}
      <p className={classes.about}>
        {isMany
          ? 'The responsible person, certificate and central battery are taken from each building.'
          : keeps
            ? 'These three entries are saved with the building.'
            : 'These entries appear only in this sheet.'}
      </p>
      <Radio.Group label="File" value={format} onChange={(value) => setFormat(value as SheetFormat)}>
        <div className={classes.formats}>
          {formats.map((one) => (
            <Radio key={one.value} {...one} disabled={busy} />
          ))}
        </div>
      </Radio.Group>
      <p className={classes.about} role="status" id={reasonId}>
        {missing}
        {busy && !isMany && (bytes === 0 ? 'Writing the sheet …' : `Writing the sheet: ${(bytes / 1e6).toFixed(1)} MB`)}
      </p>
      <Problems texts={problems} />
    </Dialog>
  )
}
