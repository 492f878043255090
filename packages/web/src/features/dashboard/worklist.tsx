import {
  IconArrowRight,
  IconBulb,
  IconCalendarX,
  IconCertificate,
  IconDroplet,
  IconFlameOff,
  IconRouterOff,
} from '../../icons/index.ts'
import type { WorkCase, WorkItem } from '@caretaker/contract/dashboard.ts'
import type { WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { dueText } from '@caretaker/rules/compliance/due.ts'
import { workCases } from '@caretaker/rules/dashboard/worklist.ts'
import { detailListingOf } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { partsAddress } from '../../api/parts-address.ts'
import { AppLink } from '../../ui/link.tsx'
import { Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { dateText } from '../../ui/age.ts'
import { useZone } from '../../ui/zone.tsx'
import { useToday, Waiting } from '../../ui/age-view.tsx'
import { placeText } from './place.ts'
import { worklistLink } from './links.ts'
import classes from './worklist.module.css'

interface Words {
  icon: typeof IconBulb
  tone: 'failed' | 'warning'
  title: string
  /** Instead of the oldest when there is none. */
  none: string
  link: string
}

const words: Record<WorkCaseName, Words> = {
  'failed lights': {
    icon: IconBulb,
    tone: 'failed',
    title: 'Failed lights',
    none: 'Every installed light works.',
    link: 'See failed lights',
  },
  'failed boilers': {
    icon: IconFlameOff,
    tone: 'failed',
    title: 'Failed boilers and sensors',
    none: 'No boiler and no sensor beside one has failed.',
    link: 'See what failed',
  },
  'untested lights': {
    icon: IconCalendarX,
    tone: 'warning',
    title: 'Lights not tested',
    none: 'No light’s last test is older than 31 days.',
    link: 'See overdue lights',
  },
  'gas checks': {
    icon: IconCertificate,
    tone: 'warning',
    title: 'Gas checks due',
    none: 'No gas check is due soon, overdue or failed.',
    link: 'See gas checks',
  },
  'water treatments': {
    icon: IconDroplet,
    tone: 'warning',
    title: 'Water treatments due',
    none: 'No water treatment is due soon, overdue or failed.',
    link: 'See water treatments',
  },
  'gateways offline': {
    icon: IconRouterOff,
    tone: 'failed',
    title: 'Gateways offline',
    none: 'Every gateway can be reached.',
    link: 'See gateways',
  },
}

interface WorklistProps {
  tenant: string
  cases: readonly WorkCase[] | undefined
  isError: boolean
  onRetry: () => void
}

/** What needs the person, as counts with the two that have waited longest and a way to all of them. */
export function Worklist({ tenant, cases, isError, onRetry }: WorklistProps) {
  if (isError && !cases)
    return (
      <section className={classes.worklist} aria-label="Worklist">
        <Failed onRetry={onRetry} />
      </section>
    )
  return (
    <section className={classes.worklist} data-cases={(cases ?? workCases).length} aria-label="Worklist">
      {cases
        ? cases.map((one) => <Case key={one.case} tenant={tenant} case={one} />)
        : workCases.map((name) => <LoadingCase key={name} name={name} />)}
    </section>
  )
}

function Case({ tenant, case: one }: { tenant: string; case: WorkCase }) {
  const { title, none, link } = words[one.case]
  return (
    <article className={classes.case} aria-label={title}>
      <Head name={one.case} count={one.count} />
      <ul className={classes.oldest}>
        {one.oldest.map((item) => (
          <li key={item.deviceId}>
            <Place tenant={tenant} item={item} />
            {isOfCheck(one.case) ? <DueOn at={item.since} /> : <Waiting since={item.since} />}
          </li>
        ))}
        {one.oldest.length === 0 && <li className={classes.none}>{none}</li>}
      </ul>
      {one.count > 0 && (
        <AppLink className={classes.link} href={worklistLink(tenant, one)}>
          {link}
          <IconArrowRight size={15} aria-hidden />
        </AppLink>
      )}
      {one.count > 0 && one.case === 'failed lights' && (
        <AppLink className={classes.link} href={partsAddress(tenant)}>
          Parts list
          <IconArrowRight size={15} aria-hidden />
        </AppLink>
      )}
    </article>
  )
}

const isOfCheck = (name: WorkCaseName) => name === 'gas checks' || name === 'water treatments'

/** How far the date of a check is, either way. */
function DueOn({ at }: { at: string }) {
  const zone = useZone()
  const today = useToday()
  return (
    <time className="tabular" dateTime={at} title={dateText(at, zone)}>
      {dueText(dayAt(Date.parse(at), zone), today)}
    </time>
  )
}

/** Where it is, and the way to its own page where it has one. */
function Place({ tenant, item }: { tenant: string; item: WorkItem }) {
  const text = placeText(item)
  const listing = detailListingOf(item.product)
  const title = [text, item.reason].filter(Boolean).join(', ')
  if (!listing) return <span title={title}>{text}</span>
  return (
    <AppLink className={classes.place} href={pathTo(tenant, listing, item.deviceId)} title={title}>
      {text}
    </AppLink>
  )
}

function Head({ name, count }: { name: WorkCaseName; count?: number }) {
  const { icon: Icon, tone, title } = words[name]
  return (
    <h2 className={classes.head}>
      <span className={classes.icon} data-tone={count === 0 ? 'quiet' : tone}>
        <Icon size={20} stroke={1.7} aria-hidden />
      </span>
      {count !== undefined && (
        <b data-zero={count === 0 || undefined} className={classes.count}>
          {count.toLocaleString('en-GB')}
        </b>
      )}{' '}
      <span>{title}</span>
    </h2>
  )
}

function LoadingCase({ name }: { name: WorkCaseName }) {
  return (
    <article className={classes.case} aria-label={words[name].title}>
      <Head name={name} />
      <Loading label={`Loading ${words[name].title}`}>
        <LoadingLines lines={2} />
      </Loading>
    </article>
  )
}
