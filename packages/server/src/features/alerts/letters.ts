import { showUnsubscribe } from '@caretaker/contract/alerts.ts'
import { filtersBehind, listingBehind } from '@caretaker/rules/alerts/behind.ts'
import { toDoAbout, conditionWords } from '@caretaker/rules/alerts/triggers.ts'
import type { RuleWords } from '@caretaker/rules/alerts/words.ts'
import { namesInScope, ruleLine, spanWords, withBehind } from '@caretaker/rules/alerts/words.ts'
import { clockText } from '@caretaker/rules/calendar/days.ts'
import { detailListingOf, listingOf } from '@caretaker/rules/devices/list.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import type { Config } from '../../config.ts'
import { asMail } from '../../mail/letters.ts'
import type { Mail } from '../../mail/mail.ts'
import type { Reach, Subject } from './subjects.ts'

interface Told {
  config: Pick<Config, 'origin'>
  reach: Reach
  to: string
  kind: 'told' | 'over'
  rule: RuleWords
  alerts: readonly Subject[]
  /** The token with which whoever gets it may say that they want no more; null where a manager decides that. */
  unsubscribe: string | null
}

/** Devices or homes that an e-mail names one by one: it is read on a phone. */
const mostNamed = 20

/** That a rule holds, or no longer does: what, where, since when, what to do, and one link. */
export function alertLetter({ config, reach, to, kind, rule, alerts, unsubscribe }: Told): Mail {
  const at = (time: number) => clockText(time, reach.zone).slice(0, 16)
  const what = conditionWords(rule.triggerType, rule.triggerCondition)
  const named = alerts.slice(0, mostNamed).map((one) => linesOf(one, at, kind))
  const rest = alerts.length - named.length
  const link = linkTo(reach.tenant, rule, alerts)
  const unstable = alerts.filter((one) => one.unstable).length
  return asMail({
    to,
    subject: oneLine(`${kind === 'over' ? `Over: ${lowered(what)}` : what}: ${headline(alerts)}`),
    greeting: `${reach.client}: ${kind === 'over' ? `no longer ${lowered(what)}` : what}`,
    paragraphs: [
      ...named,
      ...(rest > 0 ? [`And ${rest} more.`] : []),
      ...(unstable > 0 && kind === 'told'
        ? ['It has come and gone several times within a day. You hear of it again once it was quiet for a day.']
        : []),
      // Nobody is asked to repair what is over by the time of the e-mail.
      ...(kind === 'told' && alerts.some(({ ended }) => ended === null)
        ? [toDoAbout(rule.triggerType, rule.triggerCondition)]
        : []),
    ],
    link: { label: link.label, address: config.origin + link.path },
    note: `You are told because of the rule “${ruleLine(rule)}”.`,
    aside: unsubscribe
      ? {
          label: 'No more e-mails of this rule',
          address:
            config.origin + showUnsubscribe.path.replace('{tenant}', reach.tenant).replace('{token}', unsubscribe),
        }
      : `To get no more of them ask ${reach.contacts || `a manager of ${reach.client}`}.`,
  })
}

/** A manager hears that somebody wants no more of a rule. */
export function unsubscribedLetter(
  config: Pick<Config, 'origin'>,
  reach: Reach,
  { to, address, rule }: { to: string; address: string; rule: RuleWords },
): Mail {
  return asMail({
    to,
    subject: oneLine(`${address} gets no more e-mails of an alert`),
    greeting: `${reach.client}: somebody left an alert`,
    paragraphs: [
      `${address} gets no more e-mails of the rule “${ruleLine(rule)}”.`,
      'If nobody else is told by it, name another address there.',
    ],
    link: { label: 'Alerts Settings', address: config.origin + pathTo(reach.tenant, 'Settings') },
    note: 'You are told because you manage the alerts of this client.',
  })
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
/** A name may hold what would end the line of a header. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 200)

function headline(alerts: readonly Subject[]): string {
  const [first] = alerts
  if (alerts.length === 1) return [withBehind(first!.name, first!.behind), first!.where].filter(Boolean).join(', ')
  const building = alerts.every((one) => one.building === first!.building) ? first!.building : null
  return `${countOf(alerts)}${building ? ` in ${building}` : ''}`
}

/** How many of what: '3 devices', '2 homes'; deadlines of one home are several alerts of it. */
function countOf(alerts: readonly Pick<Subject, 'device' | 'home'>[]): string {
  const homes = new Set(alerts.flatMap(({ home }) => home?.id ?? [])).size
  const devices = alerts.filter(({ device }) => device).length
  const counted = (count: number, one: string) => (count ? [`${count} ${one}${count === 1 ? '' : 's'}`] : [])
  return [...counted(homes, 'home'), ...counted(devices, 'device')].join(' and ')
}

/** What, where, and since when: a line each. */
function linesOf(one: Subject, at: (time: number) => string, kind: Told['kind']): string[] {
  const since =
    kind === 'over' && one.ended !== null
      ? `over since ${at(one.ended)}, after ${spanWords(one.ended - one.began)}`
      : `since ${at(one.began)}${one.ended === null ? '' : `, over since ${at(one.ended)}`}`
  const how = [one.reason, since].filter(Boolean).join(', ')
  const key = one.home?.reference ?? one.device!.serial
  const what = one.name === key ? key : `${withBehind(one.name, one.behind)} (${key})`
  return [what, one.where, `${how.charAt(0).toUpperCase()}${how.slice(1)}`].filter(Boolean)
}

interface Target {
  label: string
  path: string
}

const openAlerts = (tenant: string): Target => ({ label: 'Open the alerts', path: pathTo(tenant, 'Alerts') })

/** The one place to go to: the page of the device or home, the listing of just these, or all alerts. */
export function linkTo(
  tenant: string,
  rule: RuleWords,
  alerts: readonly Pick<Subject, 'device' | 'home' | 'behind'>[],
): Target {
  const devices = alerts.flatMap(({ device, behind }) => (device ? [{ ...device, behind }] : []))
  const homes = [...new Map(alerts.flatMap(({ home }) => (home ? [[home.id, home] as const] : []))).values()]
  if (!homes.length) return linkToDevices(tenant, rule, devices)
  if (devices.length || homes.length > viewLimits.values) return openAlerts(tenant)
  if (homes.length === 1) return { label: 'Open the home', path: pathTo(tenant, 'Properties', homes[0]!.id) }
  const value = homes.map(({ reference }) => reference)
  const filters: Filter[] = [{ fieldId: 'propertyReference', filterOp: 'anyof', value }]
  const path = `${pathTo(tenant, 'Properties')}?filters=${encodeURIComponent(JSON.stringify(filters))}`
  return { label: `Show the ${homes.length} homes`, path }
}

function linkToDevices(
  tenant: string,
  rule: RuleWords,
  alerts: readonly (NonNullable<Subject['device']> & { behind: number })[],
): Target {
  const [first] = alerts
  const outages = alerts.filter(({ behind, product }) => behind > 0 && familyOf(product) === 'gateway')
  const isOutage = outages.length === alerts.length
  if (alerts.length === 1 && !isOutage) {
    const page = detailListingOf(first!.product)
    if (page) return { label: 'Open the device', path: pathTo(tenant, page, first!.id) }
  }
  // Some gateways and something else, or more than a filter names: no listing has just these.
  const isMixed = (outages.length > 0 && !isOutage) || alerts.length > viewLimits.values
  const listings = new Set(isMixed ? [] : alerts.map(({ product }) => (isOutage ? listingBehind : listingOf(product))))
  const [listing] = listings
  if (!listing || listings.size > 1) return openAlerts(tenant)
  if (alerts.length === 1 && !isOutage)
    return {
      label: 'Show the device',
      path: `${pathTo(tenant, listing)}?search=${encodeURIComponent(first!.serial)}`,
    }
  const serials = alerts.map(({ serial }) => serial)
  // By their names: what a rule waits for may be over by then, or was an event, and others may be as these are.
  const filters: Filter[] = isOutage
    ? filtersBehind(namesInScope(rule), serials)
    : [{ fieldId: 'serial', filterOp: 'anyof', value: serials }]
  const path = `${pathTo(tenant, listing)}?filters=${encodeURIComponent(JSON.stringify(filters))}`
  return { label: `Show the ${isOutage ? 'devices behind it' : `${alerts.length} devices`}`, path }
}
