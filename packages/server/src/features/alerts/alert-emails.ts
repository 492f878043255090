import { showUnsubscribe } from '@caretaker/contract/alerts.ts'
import { filtersOfConnected, listingOfConnected } from '@caretaker/rules/alerts/behind.ts'
import { adviceFor, conditionWords } from '@caretaker/rules/alerts/triggers.ts'
import type { RuleWords } from '@caretaker/rules/alerts/words.ts'
import { namesInScope, ruleLine, spanWords, withConnected } from '@caretaker/rules/alerts/words.ts'
import { clockText } from '@caretaker/rules/calendar/days.ts'
import { detailListingOf, listingOf } from '@caretaker/rules/devices/list.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import type { Config } from '../../config.ts'
import { asMail } from '../../mail/account-emails.ts'
import type { Mail } from '../../mail/mail.ts'
import type { Reach, Subject } from './subjects.ts'

interface AlertLetter {
  config: Pick<Config, 'origin'>
  reach: Reach
  to: string
  kind: 'told' | 'over'
  rule: RuleWords
  alerts: readonly Subject[]
  /** The token of the recipient's unsubscribe link; null where a manager decides who gets the e-mails. */
  unsubscribe: string | null
}

/** Maximum number of devices or properties that an e-mail names one by one, because it is read on a phone. */
const mostNamed = 20

/** The e-mail about a rule that applies, or no longer applies: what, where, since when, what to do, and one link. */
export function alertLetter({ config, reach, to, kind, rule, alerts, unsubscribe }: AlertLetter): Mail {
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
        ? [
            'It has started and stopped several times within a day. The alert stays open, without further e-mails, until the condition has been absent for a whole day.',
          ]
        : []),
      // The e-mail does not ask for a repair of something that is already over.
      ...(kind === 'told' && alerts.some(({ ended }) => ended === null)
        ? [adviceFor(rule.triggerType, rule.triggerCondition)]
        : []),
    ],
    link: { label: link.label, address: config.origin + link.path },
    note: `You get this e-mail because of the rule “${ruleLine(rule)}”.`,
    aside: unsubscribe
      ? {
          label: 'Unsubscribe from this rule',
          address:
            config.origin + showUnsubscribe.path.replace('{tenant}', reach.tenant).replace('{token}', unsubscribe),
        }
      : `To unsubscribe, ask ${reach.contacts || `a manager of ${reach.client}`}.`,
  })
}

/** Informs a manager that someone unsubscribed from a rule. */
export function unsubscribedLetter(
  config: Pick<Config, 'origin'>,
  reach: Reach,
  { to, address, rule }: { to: string; address: string; rule: RuleWords },
): Mail {
  return asMail({
    to,
    subject: oneLine(`${address} has unsubscribed from an alert rule`),
    greeting: `${reach.client}: a recipient unsubscribed from an alert rule`,
    paragraphs: [
      `${address} has unsubscribed from the rule “${ruleLine(rule)}”.`,
      'If the rule has no other recipient, add one in the alert settings.',
    ],
    link: { label: 'Alerts Settings', address: config.origin + pathTo(reach.tenant, 'Settings') },
    note: 'You get this e-mail because you manage the alerts of this client.',
  })
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
/** A name may contain a line break, which would end a mail header. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 200)

function headline(alerts: readonly Subject[]): string {
  const [first] = alerts
  if (alerts.length === 1) return [withConnected(first!.name, first!.behind), first!.where].filter(Boolean).join(', ')
  const building = alerts.every((one) => one.building === first!.building) ? first!.building : null
  return `${countOf(alerts)}${building ? ` in ${building}` : ''}`
}

/** A count with its noun: '3 devices', '2 properties'. Several deadlines of one property are several alerts. */
function countOf(alerts: readonly Pick<Subject, 'device' | 'home'>[]): string {
  const homes = new Set(alerts.flatMap(({ home }) => home?.id ?? [])).size
  const devices = alerts.filter(({ device }) => device).length
  const counted = (count: number, one: string, many: string) => (count ? [`${count} ${count === 1 ? one : many}`] : [])
  return [...counted(homes, 'property', 'properties'), ...counted(devices, 'device', 'devices')].join(' and ')
}

/** What, where and since when, one line each. */
function linesOf(one: Subject, at: (time: number) => string, kind: AlertLetter['kind']): string[] {
  const since =
    kind === 'over' && one.ended !== null
      ? `over since ${at(one.ended)}, after ${spanWords(one.ended - one.began)}`
      : `since ${at(one.began)}${one.ended === null ? '' : `, over since ${at(one.ended)}`}`
  const how = [one.reason, since].filter(Boolean).join(', ')
  const key = one.home?.reference ?? one.device!.serial
  const what = one.name === key ? key : `${withConnected(one.name, one.behind)} (${key})`
  return [what, one.where, `${how.charAt(0).toUpperCase()}${how.slice(1)}`].filter(Boolean)
}

interface Target {
  label: string
  path: string
}

const openAlerts = (tenant: string): Target => ({ label: 'Open the alerts', path: pathTo(tenant, 'Alerts') })

/** The link of the e-mail: the page of the device or property, a listing of just these, or all alerts. */
export function linkTo(
  tenant: string,
  rule: RuleWords,
  alerts: readonly Pick<Subject, 'device' | 'home' | 'behind'>[],
): Target {
  const devices = alerts.flatMap(({ device, behind }) => (device ? [{ ...device, behind }] : []))
  const homes = [...new Map(alerts.flatMap(({ home }) => (home ? [[home.id, home] as const] : []))).values()]
  if (!homes.length) return linkToDevices(tenant, rule, devices)
  if (devices.length || homes.length > viewLimits.values) return openAlerts(tenant)
  if (homes.length === 1) return { label: 'Open the property', path: pathTo(tenant, 'Properties', homes[0]!.id) }
  const value = homes.map(({ reference }) => reference)
  const filters: Filter[] = [{ fieldId: 'propertyReference', filterOp: 'anyof', value }]
  const path = `${pathTo(tenant, 'Properties')}?filters=${encodeURIComponent(JSON.stringify(filters))}`
  return { label: `Show the ${homes.length} properties`, path }
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
  // Gateways mixed with other devices, or more devices than a filter accepts: no listing shows exactly these.
  const isMixed = (outages.length > 0 && !isOutage) || alerts.length > viewLimits.values
  const listings = new Set(
    isMixed ? [] : alerts.map(({ product }) => (isOutage ? listingOfConnected : listingOf(product))),
  )
  const [listing] = listings
  if (!listing || listings.size > 1) return openAlerts(tenant)
  if (alerts.length === 1 && !isOutage)
    return {
      label: 'Show the device',
      path: `${pathTo(tenant, listing)}?search=${encodeURIComponent(first!.serial)}`,
    }
  const serials = alerts.map(({ serial }) => serial)
  // Filters by serial number: by now the condition may be over, or other devices may have it too.
  const filters: Filter[] = isOutage
    ? filtersOfConnected(namesInScope(rule), serials)
    : [{ fieldId: 'serial', filterOp: 'anyof', value: serials }]
  const path = `${pathTo(tenant, listing)}?filters=${encodeURIComponent(JSON.stringify(filters))}`
  return { label: `Show the ${isOutage ? 'devices connected through it' : `${alerts.length} devices`}`, path }
}
