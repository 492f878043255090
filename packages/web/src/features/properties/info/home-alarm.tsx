import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconRefresh } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertySafety } from '@caretaker/contract/property-safety.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { hasFeature } from '@caretaker/rules/identity/actor.ts'
import { isBcm } from '@caretaker/rules/links/handover.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { isMissed, runningDeadlines } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { whenText } from '@caretaker/rules/properties/awaabs-history.ts'
import { deadlineName } from '@caretaker/rules/properties/awaabs-words.ts'
import { dampLevelWords, pressingDampLevels } from '@caretaker/rules/properties/damp.ts'
import { countWords } from '@caretaker/rules/properties/details.ts'
import { lockoutTitle } from '@caretaker/rules/properties/safety.ts'
import { openAction } from '../../../actions/open.ts'
import { actionsFor, targetOfHome } from '../../../actions/target.ts'
import { useActor } from '../../../api/actor.ts'
import { useClock, useToday } from '../../../ui/age-view.tsx'
import { dateText, dateTimeText } from '../../../ui/age.ts'
import { AlarmPanel } from '../../../ui/alarm-panel.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { DateOf, useZone } from '../../../ui/zone.tsx'
import { propertyDampQuery, propertyDevicesQuery, propertySafetyQuery } from '../queries.ts'
import { unseenRoom } from './damp-card.tsx'
import { deadlineOf } from '../../../api/law-deadline.ts'
import classes from './info.module.css'

/**
 * Dangers for residents, at the top of every tab: rooms with mould risk and overdue legal steps. In full on the first
 * tab, in one line on others.
 */
export function HomeAlarm({ property, brief }: { property: Property; brief: boolean }) {
  const { tenant } = useActor()
  const { data: safety } = useQuery(propertySafetyQuery(tenant, property.propertyId))
  return (
    <>
      {safety?.heating?.state === 'LockedOut' && (
        <LockoutAlarm property={property} heating={safety.heating} brief={brief} />
      )}
      <DampAlarm property={property} brief={brief} />
    </>
  )
}

type Heating = NonNullable<PropertySafety['heating']>

/** A locked-out boiler and its effect on residents. */
function LockoutAlarm({ property, heating, brief }: { property: Property; heating: Heating; brief: boolean }) {
  const { tenant } = useActor()
  const zone = useZone()
  const today = useToday()
  const { device, since } = heating
  const { data: devices } = useQuery(propertyDevicesQuery(tenant, property.propertyId))
  const boiler = devices?.find(({ deviceId }) => deviceId === device?.deviceId)
  const actor = useActor()
  const target = boiler && targetOfHome(boiler)
  const mayReset = target && actionsFor(actor, target, 'page').includes('reset boiler')
  const at =
    since && (dateText(since, zone) === dayText(today) ? dateTimeText(since, zone).slice(-5) : dateText(since, zone))
  const fault = boiler?.fault
  return (
    <AlarmPanel
      tone="failed"
      title={lockoutTitle({ since: at, isVoid: property.voidStatus === 'Void', people: property.numberOfInhabitant })}
      meaning={fault && `Fault ${fault.code}${fault.description ? `, ${fault.description}` : ''}.`}
      brief={brief ? '' : undefined}
      actions={
        <>
          {device && isBcm(device.product) && (
            <Button variant="default" component={AppLink} href={pathTo(tenant, 'Boilers', device.deviceId)}>
              Open boiler
            </Button>
          )}
          {mayReset && (
            <Button
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => openAction({ kind: 'single', action: 'reset boiler', target })}
            >
              Reset boiler
            </Button>
          )}
        </>
      }
    />
  )
}

function DampAlarm({ property, brief }: { property: Property; brief: boolean }) {
  const actor = useActor()
  const { tenant } = actor
  const now = useClock()
  const zone = useZone()
  const { data: damp } = useQuery(propertyDampQuery(tenant, property.propertyId))
  const rooms = (damp?.rooms ?? []).filter(({ level }) => pressingDampLevels.includes(level))
  const [worst] = rooms
  const deadlines = hasFeature(actor, 'AwaabsLaw') ? (property.awaabsLawCases[0]?.deadlines ?? []) : []
  const [next] = runningDeadlines(deadlines.map(deadlineOf), zone)
  const isOverdue = next !== undefined && isMissed(next, now, zone)
  const law =
    next && `Awaab's Law: ${deadlineName(next)} ${isOverdue ? 'was due' : 'is due'} ${whenText(next.due, zone)}`
  const unseen = damp?.isOfHiddenRoom && pressingDampLevels.includes(damp.level) ? damp.level : undefined
  if (!worst && !unseen && !isOverdue) return undefined
  const people = property.numberOfInhabitant
  const lives = people ? (people === 1 ? 'One person lives here.' : `${countWords(people)} people live here.`) : ''
  const toInfo = brief && (
    <AppLink className={classes.toInfo} href={pathTo(tenant, 'Properties', property.propertyId, 'info')}>
      Open info
    </AppLink>
  )
  const line = brief ? law || '' : undefined
  if (!worst && unseen)
    return (
      <AlarmPanel
        tone="failed"
        brief={line}
        actions={toInfo}
        title={`Damp and mould risk ${dampLevelWords[unseen].toLowerCase()} in this property`}
        meaning={[unseenRoom, lives].filter(Boolean).join(' ')}
        facts={[law]}
      />
    )
  if (!worst)
    return <AlarmPanel tone="failed" title={law} meaning={lives} brief={brief ? lives : undefined} actions={toInfo} />
  const names = rooms.map(({ room, serialNumber }) => room ?? serialNumber)
  return (
    <AlarmPanel
      tone="failed"
      title={`Damp and mould risk ${dampLevelWords[worst.level].toLowerCase()} in ${names.join(', ')}`}
      meaning={[worst.reason, lives].filter(Boolean).join(' ')}
      brief={line}
      facts={[
        <>
          Since <DateOf at={worst.since} />
        </>,
        law,
      ]}
      actions={
        toInfo || (
          <Button
            variant="default"
            component={AppLink}
            href={pathTo(tenant, 'Properties', property.propertyId, 'telemetry')}
          >
            Open telemetry
          </Button>
        )
      }
    />
  )
}
