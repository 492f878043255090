import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyVoid } from '@caretaker/contract/void-mode.ts'
import { outcomeText } from '@caretaker/rules/commands/life.ts'
import type { EffectStanding, FiringStanding, HeldEffect } from '@caretaker/rules/properties/void.ts'
import {
  hasEffectFailed,
  effectStandingWords,
  firingMinutes,
  firingStandingWords,
  lockoutWords,
} from '@caretaker/rules/properties/void.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { useWatchedDevices } from '../../../api/changes.ts'
import { textsOf } from '../../../api/errors.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { dateTimeText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { StatusIcon } from '../../../ui/status-icon.tsx'
import { showError } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { askAgain, propertyVoidQuery } from '../queries.ts'
import classes from './void.module.css'

/** How long results of released effects are shown after void was turned off, in ms; longer if some are unconfirmed. */
const remembered = 7 * 86_400_000

/** The effects of void mode on a property's devices, and their state. */
export function VoidPanel({ property }: { property: Property }) {
  const actor = useActor()
  const { tenant } = actor
  const tag = property.accessRightsTag
  const mayTurn = can(actor, 'edit property', { accessRightsTags: tag ? [tag.id] : [] })
  const { data } = useQuery(propertyVoidQuery(tenant, property.propertyId))
  const zone = useZone()
  const now = useClock()
  const concerned = [...(data?.effects ?? []), ...(data?.firings ?? [])]
  useWatchedDevices([...new Set(concerned.flatMap(({ deviceId }) => deviceId ?? []))])
  if (!data) return undefined
  const { isVoid, firings, lockedOut, mutedAlerts, deviceCount } = data
  const effects = data.effects.filter(
    ({ isHeld, standing, askedAt }) =>
      isVoid || isHeld || standing !== 'confirmed' || now - Date.parse(askedAt) < remembered,
  )
  if (!isVoid && effects.length === 0) return undefined
  const time = (at: string) => dateTimeText(at, zone)
  const since = property.voidSince
  return (
    <Card
      title={isVoid ? 'Void' : 'After void'}
      aside={since && <span className={classes.quiet}>{`${isVoid ? 'since' : 'turned off'} ${time(since)}`}</span>}
    >
      <ul className={classes.effects} aria-label="Effects of void mode">
        {effects.map((effect) => (
          <Effect key={`${effect.effect} ${effect.deviceId}`} {...effect} time={time} now={now}>
            {mayTurn && effect.deviceId && hasEffectFailed(effect.standing) && (
              <TryAgain propertyId={property.propertyId} deviceId={effect.deviceId} effect={effect.effect} />
            )}
          </Effect>
        ))}
        {isVoid &&
          lockedOut.map(({ serialNumber, since: from }) => (
            <Row
              key={`locked out ${from} ${serialNumber}`}
              title={lockoutWords.title}
              text={[serialNumber, `since ${time(from)}.`, lockoutWords.text].filter(Boolean).join(' ')}
              standing="blocked"
              word="Locked out"
            />
          ))}
        {isVoid &&
          firings.map(({ at, standing, reason, serialNumber }) => (
            <Row
              key={`${at} ${serialNumber}`}
              title={`Boiler fires for ${firingMinutes} minutes, ${time(at)}`}
              text={[serialNumber, reason].filter(Boolean).join(': ')}
              standing={standing}
            />
          ))}
        {isVoid && (
          <Row
            title="Device alerts muted, except frost, leak and carbon monoxide"
            text={
              mutedAlerts === 0
                ? `Of ${deviceCount} ${deviceCount === 1 ? 'device' : 'devices'}. No alerts are muted now.`
                : `${mutedAlerts} ${mutedAlerts === 1 ? 'alert is' : 'alerts are'} muted now and sent after void if still active.`
            }
            standing="confirmed"
            word="In force"
          />
        )}
      </ul>
    </Card>
  )
}

type ShownEffect = PropertyVoid['effects'][number] & {
  time: (at: string) => string
  now: number
  children?: React.ReactNode
}

const titles = {
  heating: { held: 'Heating held at', back: 'Heating maximum back to' },
  electricity: { held: 'Electricity off', back: 'PowerSense F released' },
} as const

/** Sends the command again. */
function TryAgain({ propertyId, deviceId, effect }: { propertyId: string; deviceId: string; effect: HeldEffect }) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const ask = async () => {
    setAsking(true)
    try {
      await askAgain(client, tenant, propertyId, { deviceId, effect })
    } catch (error) {
      showError(textsOf(error).join(' '))
    }
    setAsking(false)
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      className={classes.again}
      aria-label={`Try again: ${effect}`}
      loading={asking}
      onClick={() => void ask()}
    >
      Try again
    </Button>
  )
}

function Effect({ effect, isHeld, celsius, standing, command, serialNumber, time, now, children }: ShownEffect) {
  const title = titles[effect][isHeld ? 'held' : 'back']
  const byHand = effect === 'electricity' && !isHeld
  const outcome = command ? outcomeText(command, { now, time }) : ''
  return (
    <Row
      title={
        effect === 'heating' ? `${title} ${celsius === null ? 'the previous value (unknown)' : `${celsius} °C`}` : title
      }
      text={[serialNumber && `${serialNumber}.`, outcome].filter(Boolean).join(' ')}
      standing={standing ?? 'refused'}
      {...(standing === null && { word: 'To be set by hand' })}
    >
      {byHand && (
        <p className={classes.byHand}>
          An engineer must manually reactivate the boiler module to restore the current. The portal does not restore it.
        </p>
      )}
      {children}
    </Row>
  )
}

const tones: Record<EffectStanding | FiringStanding, 'passed' | 'failed' | 'warning' | 'not-installed'> = {
  asked: 'warning',
  confirmed: 'passed',
  refused: 'failed',
  'not delivered': 'failed',
  planned: 'not-installed',
  blocked: 'failed',
  missed: 'failed',
}
const words: Record<EffectStanding | FiringStanding, string> = { ...firingStandingWords, ...effectStandingWords }

interface RowProps {
  title: string
  text: string
  standing: EffectStanding | FiringStanding
  word?: string
  children?: React.ReactNode
}

function Row({ title, text, standing, word = words[standing], children }: RowProps) {
  return (
    <li>
      <div>
        <b>{title}</b>
        <p>{text}</p>
        {children}
      </div>
      <span className={classes.standing} data-standing={standing}>
        <StatusIcon tone={tones[standing]} size={14} />
        {word}
      </span>
    </li>
  )
}
