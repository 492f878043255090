import { IconCertificate } from '../../../icons/index.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { recordTypeWords } from '@caretaker/rules/compliance/records.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { Failed, Loading, LoadingLines } from '../../../ui/states.tsx'
import type { KnownStanding } from './standing.ts'
import { StandingChip } from './standing-chip.tsx'
import type { Recorded } from './use-standings.ts'
import { useStandings } from './use-standings.ts'
import classes from './compliance.module.css'

/** The due checks of a boiler in short, with a link to the records; nothing if there are none. */
export function ComplianceCard({ device }: { device: Recorded }) {
  if (device.gasSafety === null && device.waterTreatment === null) return undefined
  return <KnownCard device={device} />
}

function KnownCard({ device }: { device: Recorded }) {
  const { tenant } = useActor()
  const { standings, isError, refetch } = useStandings(device)
  return (
    <Card
      title="Compliance"
      icon={<IconCertificate stroke={1.7} aria-hidden />}
      actions={
        <AppLink className={classes.more} href={`${pathTo(tenant, 'Boilers', device.deviceId)}/compliance`}>
          Records
        </AppLink>
      }
    >
      {standings ? (
        <ul className={classes.brief}>
          {standings.map((standing) => (
            <li key={standing.type}>
              <span>
                <b>{recordTypeWords[standing.type]}</b>
                <span>{lastText(standing)}</span>
              </span>
              <StandingChip standing={standing} />
            </li>
          ))}
        </ul>
      ) : isError ? (
        <Failed onRetry={refetch} />
      ) : (
        <Loading label="Loading the compliance records">
          <LoadingLines lines={2} />
        </Loading>
      )}
    </Card>
  )
}

function lastText({ last }: KnownStanding): string {
  if (!last) return 'Never added'
  return `Last ${dayText(last.day)}, ${last.status === 'Pass' ? 'passed' : 'failed'}`
}
