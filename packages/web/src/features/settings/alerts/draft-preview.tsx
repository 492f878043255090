import type { AlertPreview } from '@caretaker/contract/alerts.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, dayText } from '@caretaker/rules/calendar/days.ts'
import { detailListingOf } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../../api/actor.ts'
import { AppLink } from '../../../ui/link.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import { MonthBars } from './month-bars.tsx'
import classes from './alerts.module.css'

interface DraftPreviewProps {
  today: Day
  /** The entries that a preview still lacks. */
  missing: string | undefined
  preview: AlertPreview | undefined
  failed: boolean
  /** The result of the stored rule. */
  before: string | undefined
}

const none = Array.from({ length: 30 }, () => 0)

/** How often the edited rule would have sent alerts, to judge a delay. */
export function DraftPreview({ today, missing, preview, failed, before }: DraftPreviewProps) {
  const count = preview?.count
  return (
    <section className={classes.preview} aria-label="In the last 30 days" aria-live="polite">
      <p>
        <b>
          In the last 30 days
          {!missing && count !== undefined && `: ${count} ${count === 1 ? 'e-mail' : 'e-mails'}`}
        </b>{' '}
        {!missing && before && <span className={classes.none}>{before}</span>}
      </p>
      {missing && <p className={classes.none}>{missing}</p>}
      {!missing && preview?.knownSince && (
        <p className={classes.none}>
          Recorded since <TimeOf at={preview.knownSince} />. Earlier alerts are unknown.
        </p>
      )}
      {!missing && failed && <p className={classes.none}>The preview could not be loaded.</p>}
      <MonthBars days={(!missing && preview?.days) || none} large />
      <p className={classes.axis}>
        <span>{dayText(dayAfter(today, -30)).slice(0, 5)}</span>
        {!missing && preview?.latest && <Latest latest={preview.latest} />}
        <span>{dayText(today).slice(0, 5)}</span>
      </p>
    </section>
  )
}

function Latest({ latest }: { latest: NonNullable<AlertPreview['latest']> }) {
  const { tenant } = useActor()
  const { product, deviceId, serial, home } = latest
  const page = product && detailListingOf(product)
  const name = home?.reference ?? serial
  const href = home ? pathTo(tenant, 'Properties', home.propertyId) : page && deviceId && pathTo(tenant, page, deviceId)
  const more = latest.devices > 1 ? ` and ${latest.devices - 1} more` : ''
  return (
    <span>
      Latest: {href ? <AppLink href={href}>{name}</AppLink> : name}
      {more}, <TimeOf at={latest.at} />
    </span>
  )
}
