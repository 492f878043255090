import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { IconBulb, IconCertificate, IconChevronRight, IconDroplet, IconFlame } from '../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { HomeCheck, PropertySafety } from '@caretaker/contract/property-safety.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { stateWords } from '@caretaker/rules/compliance/due.ts'
import { isBcm } from '@caretaker/rules/links/handover.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import { heatingStateWords } from '@caretaker/rules/properties/heating.ts'
import { lightGroups, lightStateWords } from '@caretaker/rules/properties/safety.ts'
import { useActor } from '../../api/actor.ts'
import { complianceTone } from '../../ui/compliance-chip.tsx'
import { AppLink } from '../../ui/link.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { StatusTone } from '../../ui/tokens.ts'
import { DateOf, TimeOf } from '../../ui/zone.tsx'
import { heatingTone } from './heating-state.tsx'
import { propertySafetyQuery } from './queries.ts'
import classes from './safety-line.module.css'

/** One part of the safety line; if it has no state, it is unknown. */
interface Part {
  tone: StatusTone
  word: string
  /** The date, or another addition. */
  more?: ReactNode
  href: string
}

/** The safety of a property on every tab: gas, damp, heating, alarms and lights, each with a link to its evidence. */
export function SafetyLine({ property }: { property: Property }) {
  const { tenant } = useActor()
  const { data } = useQuery(propertySafetyQuery(tenant, property.propertyId))
  const home = (tab: string) => pathTo(tenant, 'Properties', property.propertyId, tab)
  return (
    <ul className={classes.line} aria-label="Safety of this property">
      <Item
        icon={IconCertificate}
        label="Gas"
        part={data && gasPart(data.gas, gasEvidence(data.gas, tenant) ?? `${home('info')}#gas`)}
      />
      <Item icon={IconDroplet} label="Damp" part={data && dampPart(data.damp, home('telemetry'))} />
      <Item
        icon={IconFlame}
        label="Heating"
        part={data && heatingPart(data.heating, heatingEvidence(data.heating, tenant) ?? home('devices'))}
      />
      <Item icon={IconBulb} label="Alarms and lights" part={data && lightsPart(data.lights, home('devices'))} />
    </ul>
  )
}

function Item({ icon: Icon, label, part }: { icon: typeof IconFlame; label: string; part: Part | undefined }) {
  const content = (
    <>
      <StatusIcon tone={part?.tone ?? 'not-installed'} size={20} />
      <span className={classes.text}>
        <span className={classes.label}>
          <Icon size={14} stroke={1.7} aria-hidden />
          {label}
        </span>
        <span className={classes.state}>
          {part && (
            <>
              <b data-tone={part.tone}>{part.word}</b>
              {part.more}
            </>
          )}
        </span>
      </span>
      <IconChevronRight size={16} stroke={1.7} aria-hidden />
    </>
  )
  return (
    <li className={classes.part}>
      {part ? <AppLink href={part.href}>{content}</AppLink> : <span className={classes.loading}>{content}</span>}
    </li>
  )
}

/** Where the records are: the page of the boiler if there is exactly one, otherwise the cards of the property. */
function gasEvidence(gas: HomeCheck | null, tenant: string): string | undefined {
  const [only, ...more] = gas?.appliances ?? []
  return only?.deviceId && more.length === 0 ? `${pathTo(tenant, 'Boilers', only.deviceId)}/compliance` : undefined
}

function gasPart(gas: HomeCheck | null, href: string): Part {
  if (!gas) return { tone: 'not-installed', word: 'None', more: ', no gas appliance', href }
  const { state, dueOn, failedOn } = gas
  const more =
    state === 'Failed'
      ? failedOn && ` ${dayText(failedOn)}`
      : dueOn && state !== 'NeverChecked' && `, ${state === 'Overdue' ? 'was due' : 'due'} ${dayText(dueOn)}`
  return { tone: complianceTone(state), word: stateWords[state], more, href }
}

const dampTones: Record<DampLevel, StatusTone> = {
  'not assessed': 'not-installed',
  low: 'passed',
  watch: 'warning',
  high: 'failed',
  severe: 'failed',
}

const noReadings = (href: string): Part => ({ tone: 'not-installed', word: 'No readings', href })

function dampPart({ level, since }: PropertySafety['damp'], href: string): Part {
  if (level === 'not assessed') return noReadings(href)
  const more = since && (
    <>
      {' since '}
      <DateOf at={since} />
    </>
  )
  return { tone: dampTones[level], word: dampLevelWords[level], more, href }
}

function heatingEvidence(heating: PropertySafety['heating'], tenant: string): string | undefined {
  const device = heating?.device
  return device && isBcm(device.product) ? pathTo(tenant, 'Boilers', device.deviceId) : undefined
}

function heatingPart(heating: PropertySafety['heating'], href: string): Part {
  if (!heating) return noReadings(href)
  const { state, since, lastHeard } = heating
  const from = since && (
    <>
      {' since '}
      <TimeOf at={since} />
    </>
  )
  const contact = lastHeard && (
    <>
      , last contact <TimeOf at={lastHeard} />
    </>
  )
  const more =
    state === 'Working' ? contact : state === 'LockedOut' || state === 'Broken' ? <>{from}, no heating</> : from
  return { tone: heatingTone(state), word: heatingStateWords[state], more, href }
}

const lightTones = { None: 'not-installed', Passed: 'passed', Failed: 'failed' } as const

function lightsPart(lights: PropertySafety['lights'], href: string): Part {
  if (!lights) return { tone: 'not-installed', word: 'None', href }
  const { state, testedOn } = lights
  return {
    tone: lightTones[lightGroups[state]],
    word: lightStateWords[state],
    more: testedOn && `, tested ${dayText(testedOn)}`,
    href,
  }
}
