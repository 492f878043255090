import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import {
  IconBellOff,
  IconBolt,
  IconClock,
  IconMail,
  IconMailX,
  IconTag,
  IconWifi,
  IconWifiOff,
} from '../icons/index.ts'
import type { Alert } from '@caretaker/contract/alerts.ts'
import { sendAlertAgain } from '@caretaker/contract/calls/alerts.ts'
import { conditionWords } from '@caretaker/rules/alerts/triggers.ts'
import { endingSentence, ruleWords, spanWords, withConnected } from '@caretaker/rules/alerts/words.ts'
import { filtersOfConnected } from '@caretaker/rules/alerts/behind.ts'
import { delayInSentence } from '@caretaker/rules/alerts/delay.ts'
import { detailListingOf, listingOf } from '@caretaker/rules/devices/list.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { showCallError } from '../api/errors.ts'
import { listingAddress } from '../api/listing-address.ts'
import { useClock } from '../ui/age-view.tsx'
import { AppLink } from '../ui/link.tsx'
import { StatusIcon, toneOfGroup } from '../ui/status-icon.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import { TimeOf } from '../ui/zone.tsx'
import classes from './alerts.module.css'

/** One alert: device, place, duration, reason and recipients. */
export function AlertEntry({ alert }: { alert: Alert }) {
  return (
    <li className={classes.entry} data-state={alert.state}>
      <Icon alert={alert} />
      <div className={classes.what}>
        <p className={classes.title}>{titleOf(alert)}</p>
        {placeOf(alert) && <p className={classes.dimmed}>{placeOf(alert)}</p>}
        <p className={classes.rule}>
          <span className={classes.tag}>
            {alert.tagName && <IconTag size={13} aria-hidden />}
            {alert.covers}
          </span>
          {ruleWords(alert)}
        </p>
        {alert.state === 'open' && alert.endedAt && alert.overAt && (
          <p className={classes.dimmed}>
            Cleared since <TimeOf at={alert.endedAt} />. The alert closes at <TimeOf at={alert.overAt} /> unless the
            condition returns
          </p>
        )}
        {alert.isUnstable && <p className={classes.dimmed}>Intermittent: closes after a day without a recurrence</p>}
      </div>
      <When alert={alert} />
      <Foot alert={alert} />
    </li>
  )
}

/** The device with the failure code or condition; for a property, the condition first, then its date or state. */
export function titleOf({ home, deviceName, behind, reason, triggerType, triggerCondition }: Alert): string {
  const condition = conditionWords(triggerType, triggerCondition)
  if (home) return `${condition}: ${home.address || home.reference}${reason && ` (${reason})`}`
  const name = withConnected(deviceName ?? '', behind)
  return behind ? name : `${name}, ${reason || condition.toLowerCase()}`
}

/** The place; for a property, its reference (the title has the address) and building. */
const placeOf = ({ home, where }: Alert): string => [home?.address && home.reference, where].filter(Boolean).join(', ')

function Icon({ alert }: { alert: Alert }) {
  const { state, triggerType, triggerCondition } = alert
  if (state === 'pending')
    return alert.isMuted ? <IconBellOff size={18} aria-hidden /> : <IconClock size={18} aria-hidden />
  if (triggerType === 'CONNECTIONSTATUS')
    return triggerCondition === 'Connected' ? (
      <IconWifi size={18} aria-hidden />
    ) : (
      <IconWifiOff size={18} className={classes.away} aria-hidden />
    )
  const group = triggerType === 'DEVICESTATUS' ? displayGroup(triggerCondition) : undefined
  return group ? <StatusIcon tone={toneOfGroup[group]} size={18} /> : <IconBolt size={18} aria-hidden />
}

function When({ alert }: { alert: Alert }) {
  const now = useClock()
  if (alert.state === 'pending')
    return (
      <p className={classes.when}>
        <b>{alert.dueAt ? `in ${spanWords(Date.parse(alert.dueAt) - now)}` : alert.isMuted ? 'muted' : 'not yet'}</b>
        <span>of {delayInSentence(alert.delay, alert.delayUnit)}</span>
      </p>
    )
  const until = alert.endedAt ? Date.parse(alert.endedAt) : now
  return (
    <p className={classes.when}>
      <b>{spanWords(until - Date.parse(alert.beganAt))}</b>
      <span>
        <TimeOf at={alert.beganAt} />
      </span>
    </p>
  )
}

/**
 * The link of an alert, as in its e-mail: the property, the device, or the devices connected through a gateway that
 * have the tag, in any status.
 */
function linkOf(tenant: string, { home, product, deviceId, serial, behind, scope }: Alert) {
  if (home) return { label: 'Open property', href: pathTo(tenant, 'Properties', home.propertyId) }
  if (product === null || deviceId === null || serial === null) return undefined
  if (behind > 0 && familyOf(product) === 'gateway')
    return {
      label: 'Show devices',
      href: listingAddress(tenant, 'EmergencyLights', { filters: filtersOfConnected(scope, [serial]) }),
    }
  const page = detailListingOf(product)
  const listing = listingOf(product)
  const href = page ? pathTo(tenant, page, deviceId) : listing && listingAddress(tenant, listing, { search: serial })
  return href ? { label: 'Open device', href } : undefined
}

function Foot({ alert }: { alert: Alert }) {
  const { tenant } = useActor()
  const link = linkOf(tenant, alert)
  return (
    <div className={classes.foot}>
      <Notifications alert={alert} />
      <span className={classes.actions}>
        <Again alert={alert} />
        {link && (
          <Button component={AppLink} href={link.href} variant="default" size="compact-md">
            {link.label}
          </Button>
        )}
      </span>
    </div>
  )
}

function Notifications({ alert }: { alert: Alert }) {
  if (alert.state === 'pending')
    return alert.isMuted ? <span>No notifications: the property is void or in maintenance</span> : <span />
  const failed = alert.mails.find(({ state }) => state === 'failed' && !isSentAgain(alert, state))
  if (failed)
    return (
      <span className={classes.failed}>
        <IconMailX size={16} aria-hidden />
        Not delivered to {failed.to}
        {failed.error && `: ${failed.error}`}
      </span>
    )
  if (alert.state === 'over')
    return (
      <span>
        {alert.ending ? endingSentence(alert.ending, alert.home !== null) : 'Over'}
        {alert.endedAt && (
          <>
            , <TimeOf at={alert.endedAt} />
          </>
        )}
        {alert.notifiedAt === null &&
          '. No notification was sent: the property was void, or the device was disabled or in maintenance'}
      </span>
    )
  const sentMails = alert.mails.filter(({ kind }) => kind !== 'over')
  if (!sentMails.length) return <span>E-mail: none (portal only)</span>
  return (
    <span className={classes.mail}>
      <IconMail size={16} aria-hidden />
      {[...new Set(sentMails.map(({ to }) => to))].join(', ')}, <TimeOf at={sentMails.at(-1)!.at} />
      {sentMails.at(-1)!.state === 'waiting' && ', on its way'}
      {sentMails.at(-1)!.state === 'suppressed' && `, not sent: ${sentMails.at(-1)!.error}`}
    </span>
  )
}

/** Whether a failed e-mail was followed by another one to the same address. */
function isSentAgain(alert: Alert, state: string): boolean {
  const failed = alert.mails.filter((mail) => mail.state === state)
  return failed.every((one) => alert.mails.some((mail) => mail.to === one.to && mail.at > one.at))
}

function Again({ alert }: { alert: Alert }) {
  const actor = useActor()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const failed = alert.mails.some(({ state }) => state === 'failed') && !isSentAgain(alert, 'failed')
  if (alert.state !== 'open' || !failed || !can(actor, 'manage alerts')) return undefined
  const send = async () => {
    setBusy(true)
    try {
      await call(sendAlertAgain, { body: { tenant: actor.tenant, alertId: alert.alertId } })
      showSuccess('Request Successful')
      await queryClient.invalidateQueries({ queryKey: [actor.tenant, 'alerts'] })
    } catch (error) {
      showCallError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant="default" size="compact-md" loading={busy} onClick={() => void send()}>
      Send again
    </Button>
  )
}
