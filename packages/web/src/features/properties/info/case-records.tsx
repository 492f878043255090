import { useState } from 'react'
import { Button, FileInput, Select, Textarea } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { IconFileText } from '../../../icons/index.ts'
import {
  addCaseReadings,
  addCaseRecord,
  getCaseRecordFile,
  getCaseRecords,
} from '@caretaker/contract/calls/awaabs-law.ts'
import type { CaseRecord } from '@caretaker/contract/awaabs-law.ts'
import type { AwaabsLawCase, Property } from '@caretaker/contract/properties.ts'
import { dayAfter, dayText, isDay } from '@caretaker/rules/calendar/days.ts'
import { measuredHazards } from '@caretaker/rules/properties/awaabs-law.ts'
import type { CaseRecordKind } from '@caretaker/rules/properties/awaabs-records.ts'
import { caseRecordKinds, caseRecordLimits, roomBounds } from '@caretaker/rules/properties/awaabs-records.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { saveFile } from '../../../api/save-file.ts'
import { useToday } from '../../../ui/age-view.tsx'
import { DayField } from '../../../ui/day-field.tsx'
import { Dialog, Problems } from '../../../ui/dialog.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import { propertyPageKey } from '../queries.ts'
import classes from './awaabs-law.module.css'

const recordsQuery = (tenant: string, propertyId: string, caseId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'case records', caseId],
    meta: { shows: { subjects: ['property'] } },
    queryFn: async ({ signal }) =>
      (await call(getCaseRecords, { params: { tenant, propertyId, caseId } }, { signal })).results,
  })

const words: Record<CaseRecordKind, [one: string, more: string]> = {
  note: ['note', 'notes'],
  photograph: ['photograph', 'photographs'],
  file: ['file', 'files'],
  readings: ['set of readings', 'sets of readings'],
}

interface CaseRecordsProps {
  property: Property
  one: AwaabsLawCase
  mayAdd: boolean
}

/** The number of notes, photographs and files of a case; opens them in a dialog. */
export function CaseRecords({ property, one, mayAdd }: CaseRecordsProps) {
  const [isOpen, setOpen] = useState(false)
  const counts = caseRecordKinds
    .filter((kind) => kind !== 'readings' || one.records.readings)
    .map((kind) => `${one.records[kind] ?? 0} ${words[kind][one.records[kind] === 1 ? 0 : 1]}`)
  return (
    <>
      <Button
        size="compact-md"
        variant="subtle"
        classNames={{ root: classes.counts, label: classes.countsText }}
        leftSection={<IconFileText size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {counts.join(', ')}
      </Button>
      {isOpen && <RecordsDialog property={property} one={one} mayAdd={mayAdd} onClose={() => setOpen(false)} />}
    </>
  )
}

function RecordsDialog({ property, one, mayAdd, onClose }: CaseRecordsProps & { onClose: () => void }) {
  const { tenant } = useActor()
  const { propertyId } = property
  const { data, isError, refetch } = useQuery(recordsQuery(tenant, propertyId, one.caseId))
  const download = async ({ recordId }: CaseRecord) => {
    try {
      saveFile(await call(getCaseRecordFile, { params: { tenant, propertyId, caseId: one.caseId, recordId } }))
    } catch (error) {
      showError(textsOf(error).join(' '))
    }
  }
  return (
    <Dialog wide title={`Records of case ${one.number}`} onClose={onClose}>
      {mayAdd && <AddRecord property={property} one={one} />}
      {data ? (
        <ul className={classes.records} aria-label="Records">
          {data.map((record) => (
            <li key={record.recordId}>
              {record.text && <p>{record.text}</p>}
              {record.readings && <Readings readings={record.readings} />}
              {record.file && (
                <Button size="compact-md" variant="subtle" onClick={() => void download(record)}>
                  {record.file.name}
                </Button>
              )}
              <span className={classes.quiet}>
                {words[record.kind][0]}, <TimeOf at={record.addedAt} />, {record.addedBy}
              </span>
            </li>
          ))}
          {data.length === 0 && (
            <li className={classes.quiet}>Notes, photographs and files of the case appear here.</li>
          )}
        </ul>
      ) : isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

/** The sensor readings stored with the case, by room. */
function Readings({ readings: { from, to, rooms } }: { readings: NonNullable<CaseRecord['readings']> }) {
  return (
    <div>
      <b>
        Readings {dayText(from)} – {dayText(to)}
      </b>
      {rooms.map((room) => (
        <p key={room.room}>
          {`${room.room}: mean ${room.meanTemperature} °C, ${room.leastTemperature} to ${room.mostTemperature} °C, ` +
            `${room.hoursCold} of ${room.hours} hours below ${roomBounds.cold} °C, ` +
            `${room.hoursSeverelyCold} below ${roomBounds.severelyCold} °C, ${room.hoursHot} above ${roomBounds.hot} °C` +
            (room.meanHumidity === null ? '' : `, mean humidity ${room.meanHumidity} %`)}
        </p>
      ))}
    </div>
  )
}

const kindWords: Record<CaseRecordKind, string> = {
  note: 'Note',
  photograph: 'Photograph',
  file: 'File',
  readings: 'Readings of the sensors',
}

function AddRecord({ property: { propertyId }, one }: Pick<CaseRecordsProps, 'property' | 'one'>) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const today = useToday()
  const [kind, setKind] = useState<CaseRecordKind>('note')
  const [text, setText] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [from, setFrom] = useState(() => dayAfter(today, -7))
  const [to, setTo] = useState(today)
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const kinds = caseRecordKinds.filter(
    (each) => each !== 'readings' || one.hazard === null || measuredHazards.includes(one.hazard),
  )
  const needsFile = kind === 'photograph' || kind === 'file'
  const isReady = kind === 'note' ? text.trim() !== '' : needsFile ? file !== null : isDay(from) && isDay(to)
  const add = async () => {
    setBusy(true)
    setProblems([])
    try {
      const params = { tenant, propertyId, caseId: one.caseId }
      if (kind === 'readings') await call(addCaseReadings, { params, body: { from, to, text } })
      else await call(addCaseRecord, { params, form: { kind, text, ...(needsFile && file && { file }) } })
      setText('')
      setFile(null)
      await client.invalidateQueries({ queryKey: propertyPageKey(tenant, propertyId) })
    } catch (error) {
      setProblems(textsOf(error))
    }
    setBusy(false)
  }
  return (
    <>
      <Select
        label="Add"
        data={kinds.map((value) => ({ value, label: kindWords[value] }))}
        value={kind}
        allowDeselect={false}
        onChange={(chosen) => chosen && setKind(chosen as CaseRecordKind)}
      />
      {needsFile && (
        <FileInput
          label={kindWords[kind]}
          placeholder="Choose a file"
          accept={kind === 'photograph' ? 'image/jpeg,image/png,image/webp' : undefined}
          value={file}
          onChange={setFile}
        />
      )}
      {kind === 'readings' && (
        <>
          <div className={classes.when}>
            <DayField label="From" max={today} value={from} onChange={setFrom} />
            <DayField label="To" max={today} value={to} onChange={setTo} />
          </div>
          <span className={classes.quiet}>
            Readings of the sensors that were in this property during the period and that you can see.
          </span>
        </>
      )}
      <Textarea
        label={kind === 'note' ? 'Note' : 'Description'}
        autosize
        minRows={2}
        maxLength={caseRecordLimits.text}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Problems texts={problems} />
      <Button disabled={!isReady} loading={busy} onClick={() => void add()}>
        Add {kindWords[kind].toLowerCase()}
      </Button>
    </>
  )
}
