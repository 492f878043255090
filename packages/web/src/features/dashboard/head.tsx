import { useState } from 'react'
import { Button } from '@mantine/core'
import type { DashboardData, Worklist } from '@caretaker/contract/dashboard.ts'
import type { CaseChoice, WorkSubject } from '@caretaker/rules/dashboard/worklist.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { IconAdjustmentsHorizontal } from '../../icons/index.ts'
import { useActor } from '../../api/actor.ts'
import { AppLink } from '../../ui/link.tsx'
import { StatusBar, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import { useZone } from '../../ui/zone.tsx'
import { CustomiseDialog } from './customise-dialog.tsx'
import { listingPartition } from './listing-partition.ts'
import classes from './dashboard.module.css'

interface HeadProps {
  data: DashboardData | undefined
  worklist: Worklist | undefined
  /** Whether home hubs count among the devices. */
  hasHubs: boolean
  choice: CaseChoice | undefined
  onChoose: (choice: CaseChoice | undefined) => void
}

/**
 * The date, and how many properties and devices need attention. Nothing here is green: passed counts are below the
 * cards.
 */
export function Head({ data, worklist, hasHubs, choice, onChoose }: HeadProps) {
  const zone = useZone()
  const [isCustomising, setCustomising] = useState(false)
  return (
    <header className={classes.head}>
      <div>
        <h1 className={classes.title}>Needs attention</h1>
        <p className={classes.summary}>
          {today(zone)}.{' '}
          {data && worklist && (
            <Summary
              needing={worklist.needing}
              installed={sumOf(data, hasHubs, 'installed')}
              failed={sumOf(data, hasHubs, 'fail')}
            />
          )}
        </p>
      </div>
      {worklist && worklist.cases.length > 1 && (
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          onClick={() => setCustomising(true)}
        >
          Customise
        </Button>
      )}
      {worklist && isCustomising && (
        <CustomiseDialog
          cases={worklist.cases}
          choice={choice}
          onChoose={onChoose}
          onClose={() => setCustomising(false)}
        />
      )}
    </header>
  )
}

const sumOf = (data: DashboardData, hasHubs: boolean, count: 'pass' | 'warn' | 'fail' | 'installed') =>
  listingPartition(hasHubs).reduce((total, listing) => total + data.listings[listing][count], 0)

/** The status of all installed devices in one line. */
export function Overall({ data, hasHubs }: { data: DashboardData; hasHubs: boolean }) {
  const sum = (count: Parameters<typeof sumOf>[2]) => sumOf(data, hasHubs, count)
  const segments = statusSegments({ pass: sum('pass'), warn: sum('warn'), fail: sum('fail') })
  if (sum('installed') === 0) return undefined
  return (
    <div className={classes.overall}>
      <span>{sum('installed').toLocaleString('en-GB')} installed devices</span>
      <StatusBar label="All devices" segments={segments} />
      <StatusLegend segments={segments} layout="line" />
    </div>
  )
}

const nouns: Record<WorkSubject, [one: string, more: string]> = {
  homes: ['property', 'properties'],
  lights: ['light', 'lights'],
  gateways: ['gateway', 'gateways'],
  boilers: ['boiler', 'boilers'],
}

interface SummaryProps {
  needing: Worklist['needing']
  installed: number
  failed: number
}

function Summary({ needing, installed, failed }: SummaryProps) {
  const actor = useActor()
  const parts = (Object.keys(nouns) as WorkSubject[])
    .filter((subject) => needing[subject] > 0)
    .map((subject) => `${needing[subject].toLocaleString('en-GB')} ${nouns[subject][needing[subject] === 1 ? 0 : 1]}`)
  if (parts.length > 0) {
    const isOne = parts.length === 1 && Object.values(needing).includes(1)
    return (
      <>
        <b>{new Intl.ListFormat('en-GB').format(parts)}</b> {isOne ? 'needs' : 'need'} attention.
      </>
    )
  }
  if (failed > 0)
    return (
      <b>
        {failed.toLocaleString('en-GB')} {failed === 1 ? 'device has' : 'devices have'} failed.
      </b>
    )
  if (installed > 0) return <b>Nothing needs attention.</b>
  return (
    <>
      No device is installed yet.
      {can(actor, 'import homes') && (
        <>
          {' '}
          <AppLink href={pathTo(actor.tenant, 'Properties', 'Import')}>
            Import a list of properties or devices
          </AppLink>{' '}
          to begin.
        </>
      )}
    </>
  )
}

function today(zone: string): string {
  const words = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: zone },
  })
  return words.format(new Date()).replace(',', '')
}
