import { useState } from 'react'
import { ActionIcon, SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { IconBulb, IconCircleCheck, IconDownload } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { BoilerFault } from '@caretaker/contract/faults.ts'
import { seesTab } from '@caretaker/rules/devices/tabs.ts'
import type { BoilerFaultSource } from '@caretaker/rules/faults/faults.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { boilerFaultSources, cameFirst, shortDescription, timeInFault } from '@caretaker/rules/faults/faults.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { saveCsv } from '../../api/save-csv.ts'
import { useClock } from '../../ui/age-view.tsx'
import { dateTimeText, lengthText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import { DateOf, TimeOf, useZone } from '../../ui/zone.tsx'
import { FaultLanes } from './fault-lanes.tsx'
import { faultsQuery } from './queries.ts'
import classes from './fault-history.module.css'

const ranges = { 30: '30 days', 90: '90 days', 365: '1 year' } as const
type Days = keyof typeof ranges
const dayLength = 86_400_000

/** The faults of a boiler and its autofills: order of events, then each with its end. */
export function FaultHistory({ device }: { device: Device }) {
  const { tenant } = useActor()
  const now = useClock()
  const [days, setDays] = useState<Days>(30)
  const query = { ...faultsQuery(tenant, device.deviceId, days), placeholderData: keepPreviousData }
  const { data: faults, isError, refetch } = useQuery(query)
  const from = now - days * dayLength
  return (
    <div className={classes.page}>
      <Card
        title={`Faults of the last ${days === 365 ? 'year' : ranges[days]}`}
        actions={
          <>
            {faults && faults.length > 0 && <span className={classes.summary}>{summary(faults, from, now)}</span>}
            <SegmentedControl
              aria-label="Range"
              data={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
              value={String(days)}
              onChange={(value) => setDays(Number(value) as Days)}
            />
          </>
        }
      >
        {faults ? (
          faults.length > 0 ? (
            <>
              <FaultLanes faults={faults} from={from} to={now} />
              <Cause device={device} faults={faults} />
            </>
          ) : (
            <Empty
              icon={<IconCircleCheck size={18} aria-hidden />}
              text="No faults"
              hint="No faults were reported in this period."
            />
          )
        ) : isError ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading faults">
            <LoadingLines lines={4} />
          </Loading>
        )}
      </Card>
      {faults && faults.length > 0 && <AllFaults faults={faults} now={now} />}
    </div>
  )
}

function summary(faults: readonly BoilerFault[], from: number, now: number): string {
  const many = faults.length === 1 ? '1 fault' : `${faults.length} faults`
  return `${many}, ${lengthText(timeInFault(faults, from, now))} in fault`
}

/** An earlier fault that may have caused the active one. */
function Cause({ device, faults }: { device: Device; faults: readonly BoilerFault[] }) {
  const actor = useActor()
  const zone = useZone()
  const first = cameFirst(faults)
  if (!first) return undefined
  // The day of the fault, with the days before and after it.
  const at = Date.parse(first.timestamp)
  return (
    <p className={classes.cause}>
      <IconBulb size={18} stroke={1.7} aria-hidden />
      <span>
        {first.faultCode}
        {first.description && ` (${shortDescription(first.description)})`} came first, on{' '}
        <DateOf at={first.timestamp} />.{' '}
        {seesTab(actor, targetOfDevice(device), 'telemetry') && (
          <AppLink
            href={`${pathTo(actor.tenant, 'Boilers', device.deviceId)}/telemetry?from=${dayAt(at - dayLength, zone)}&to=${dayAt(at + dayLength, zone)}`}
          >
            Show in telemetry
          </AppLink>
        )}
      </span>
    </p>
  )
}

export const sourceWords: Record<BoilerFaultSource, string> = { boiler: 'Boiler', autofill: 'Autofill' }

/** All faults in words, with the same data as the picture above. */
function AllFaults({ faults, now }: { faults: readonly BoilerFault[]; now: number }) {
  const zone = useZone()
  const [source, setSource] = useState<BoilerFaultSource | 'all'>('all')
  const of = (one: BoilerFaultSource) => faults.filter(({ faultSource }) => faultSource === one)
  const shown = source === 'all' ? faults : of(source)
  return (
    <Card
      title="All faults"
      actions={
        <>
          <SegmentedControl
            aria-label="Source"
            data={[
              { value: 'all', label: `All ${faults.length}` },
              ...boilerFaultSources.map((one) => ({ value: one, label: `${sourceWords[one]} ${of(one).length}` })),
            ]}
            value={source}
            onChange={(value) => setSource(value as typeof source)}
          />
          <ActionIcon
            size={32}
            variant="default"
            aria-label="Download the faults"
            title="Download"
            disabled={shown.length === 0}
            onClick={() =>
              saveCsv([faultColumns, ...shown.map((fault) => faultCells(fault, zone))], { zone, name: 'faults' })
            }
          >
            <IconDownload size={18} stroke={1.7} aria-hidden />
          </ActionIcon>
        </>
      }
    >
      {shown.length > 0 ? (
        <div className={classes.box}>
          <table className={classes.table} aria-label="All faults">
            <thead>
              <tr>
                <th scope="col">Code</th>
                <th scope="col">Description</th>
                <th scope="col">Source</th>
                <th scope="col">Started</th>
                <th scope="col" className={classes.figure}>
                  Lasted
                </th>
                <th scope="col">Ended</th>
                <th scope="col">Can be reset</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((fault) => (
                <FaultRow key={fault.faultId} fault={fault} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <Empty text="No faults" />
      )}
    </Card>
  )
}

const faultColumns = ['Code', 'Description', 'Source', 'Started', 'Over', 'Ended', 'Can be reset']

const faultCells = (fault: BoilerFault, zone: string) => [
  fault.faultCode,
  fault.description ?? '',
  sourceWords[fault.faultSource],
  dateTimeText(fault.timestamp, zone),
  fault.endedAt === null ? '' : dateTimeText(fault.endedAt, zone),
  endText(fault),
  fault.isResettable ? 'Yes' : 'No',
]

function FaultRow({ fault, now }: { fault: BoilerFault; now: number }) {
  const { faultCode, description, faultSource, timestamp, endedAt, isResettable } = fault
  const lasts = endedAt === null
  const length = (lasts ? now : Date.parse(endedAt)) - Date.parse(timestamp)
  return (
    <tr data-lasts={lasts || undefined}>
      <th scope="row">
        {lasts && <StatusIcon tone="failed" />}
        {faultCode}
      </th>
      <td className={classes.description}>{description ?? 'Not described'}</td>
      <td>{sourceWords[faultSource]}</td>
      <td className={classes.time}>
        <TimeOf at={timestamp} />
      </td>
      <td className={classes.figure}>{lengthText(length)}</td>
      <td>{endText(fault)}</td>
      <td>{isResettable ? 'Yes' : 'No'}</td>
    </tr>
  )
}

/** The end of a fault, and the number of attempted resets. */
function endText({ endedAt, endedByReset, resetBy, resets }: BoilerFault): string {
  const tried = endedByReset ? resets - 1 : resets
  const after = tried > 0 ? `, ${tried} ${tried === 1 ? 'reset' : 'resets'} tried` : ''
  if (endedAt === null) return `Still active${after}`
  if (!endedByReset) return `Ended by itself${after}`
  return `Reset${resetBy === null ? '' : ` by ${resetBy}`}${after}`
}
