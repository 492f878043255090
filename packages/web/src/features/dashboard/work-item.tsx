import type { WorkCase, WorkDevice, WorkHome } from '@caretaker/contract/dashboard.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { daysBetween, daysText, dueText, stateWords } from '@caretaker/rules/compliance/due.ts'
import { detailListingOf } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { timeLeftText } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import { countWords } from '@caretaker/rules/properties/details.ts'
import { useActor } from '../../api/actor.ts'
import { dateText } from '../../ui/age.ts'
import { useClock, useToday, Waiting } from '../../ui/age-view.tsx'
import { AppLink } from '../../ui/link.tsx'
import { useZone } from '../../ui/zone.tsx'
import { placeText } from './place.ts'

type Item = WorkCase['worst'][number]

/** One of the worst items of a case: the row links to the property or device. */
export function WorkRow({ name, item }: { name: WorkCase['case']; item: Item }) {
  const { tenant } = useActor()
  const place = placeOf(item)
  const parts = (
    <>
      <span>{place.text}</span>
      {item.kind === 'home' ? <SinceOfHome home={item} /> : <SinceOfDevice name={name} device={item} />}
    </>
  )
  const listing = item.kind === 'home' ? 'Properties' : detailListingOf(item.product)
  if (!listing) return <div title={place.title}>{parts}</div>
  const id = item.kind === 'home' ? item.propertyId : item.deviceId
  return (
    <AppLink href={pathTo(tenant, listing, id)} title={place.title}>
      {parts}
    </AppLink>
  )
}

function placeOf(item: Item): { text: string; title: string } {
  if (item.kind === 'home') {
    const { address, propertyReference } = item
    return {
      text: address?.split(',')[0] || propertyReference,
      title: [propertyReference, address].filter(Boolean).join(', '),
    }
  }
  const text = placeText(item)
  return { text, title: [text, item.reason].filter(Boolean).join(', ') }
}

function SinceOfDevice({ name, device: { since } }: { name: WorkCase['case']; device: WorkDevice }) {
  const zone = useZone()
  const today = useToday()
  if (name !== 'gas checks' && name !== 'boilers without treatment') return <Waiting since={since} />
  return (
    <time className="tabular" dateTime={since} title={dateText(since, zone)}>
      {dueText(dayAt(Date.parse(since), zone), today)}
    </time>
  )
}

function SinceOfHome({ home: { check, day, heating, damp, deadline, since, people } }: { home: WorkHome }) {
  const zone = useZone()
  const today = useToday()
  const now = useClock()
  if (deadline) {
    const at = Date.parse(deadline.dueAt)
    const due = { on: dayAt(at, zone), at: deadline.isEmergency ? at : null }
    return (
      <span className="tabular" title={`${deadline.step}, due ${dateText(at, zone)}`}>
        {timeLeftText({ due }, now, zone)}
      </span>
    )
  }
  if (damp)
    return (
      <span className="tabular">
        {dampLevelWords[damp]}
        {since && (
          <>
            {' for '}
            <Waiting since={since} />
          </>
        )}
      </span>
    )
  if (heating)
    return (
      <span className="tabular">
        {since && <Waiting since={since} />}
        {people !== null && `${since ? ', ' : ''}${countWords(people)} ${people === 1 ? 'person' : 'people'}`}
      </span>
    )
  if (check === null) return undefined
  if (day === null || check === 'NeverChecked') return <span>{stateWords[check]}</span>
  if (check !== 'Failed') return <span className="tabular">{dueText(day, today)}</span>
  const ago = daysBetween(day, today)
  return <span className="tabular">{ago <= 0 ? 'Failed today' : `${daysText(ago)} ago`}</span>
}
