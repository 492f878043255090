import { useQuery } from '@tanstack/react-query'
import type { SetPoint } from '@caretaker/contract/connections.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { changeSetPoint } from '@caretaker/contract/calls/connections.ts'
import { lastSetting } from '@caretaker/rules/commands/life.ts'
import { setPointFault } from '@caretaker/rules/connectors/downlinks.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../../../actions/target.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { commandsQuery } from '../../../api/device-commands.ts'
import { Ways } from '../../../heating/confirmation.tsx'
import { useSend } from '../../../heating/send.ts'
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconClock } from '../../../icons/index.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { dateTimeText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { inlineText } from '../../../ui/forms/inline-controls.tsx'
import { InlineField, InlineFields } from '../../../ui/forms/inline-edit.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { setPointQuery } from '../queries.ts'
import { setPointState } from './set-point-text.ts'
import heating from '../../../heating/heating.module.css'

type Range = NonNullable<SetPoint['range']>

/** The set point of a connection's thermostat; nothing for other devices. */
export function SetPointCard({ device }: { device: Device }) {
  const { tenant } = useActor()
  const { data } = useQuery(setPointQuery(tenant, device.deviceId))
  return data?.range ? <Thermostat device={device} setPoint={data} range={data.range} /> : undefined
}

function Thermostat({ device, setPoint, range }: { device: Device; setPoint: SetPoint; range: Range }) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId } = device
  const { data: commands } = useQuery(commandsQuery(tenant, deviceId))
  const command = commands && lastSetting(commands, 'setPoint')
  const send = useSend(tenant, deviceId)
  const { reported, desired, refusal } = setPoint
  const mayChange = can(actor, 'change set point', targetOfDevice(device)) && refusal === null
  const change = (wanted: number) =>
    send(() => call(changeSetPoint, { params: { tenant, deviceId }, body: { setPoint: wanted } }))
  const shown = desired ?? reported
  return (
    <Card title="Thermostat">
      <InlineFields>
        <InlineField
          label="Set point"
          note={
            <>
              {refusal !== null && <p className={heating.outcome}>{refusal}</p>}
              {command && (
                <State device={device} command={command} reported={reported} onAgain={mayChange ? change : undefined} />
              )}
            </>
          }
          edit={
            mayChange
              ? {
                  value: shown === null ? '' : String(shown),
                  control: inlineText({ maxLength: 5 }),
                  fault: (text) => (text.trim() === '' ? 'Enter a set point' : setPointFault(Number(text), range)),
                  save: (text) => change(Number(text)),
                  hint: `${range.min} to ${range.max} °C in steps of ${range.step} °C.`,
                }
              : undefined
          }
        >
          {shown !== null && `${shown} °C`}
        </InlineField>
      </InlineFields>
    </Card>
  )
}

interface StateProps {
  device: Device
  command: Command
  reported: number | null
  onAgain: ((wanted: number) => Promise<unknown>) | undefined
}

const icons = { confirmed: IconCircleCheckFilled, pending: IconClock, failed: IconAlertTriangleFilled } as const

function State({ device, command, reported, onAgain }: StateProps) {
  const now = useClock()
  const zone = useZone()
  const { is, text, details } = setPointState(command, { now, reported, time: (at) => dateTimeText(at, zone) })
  const Icon = icons[is]
  const wanted = command.args['setPoint']
  return (
    <div className={heating.truth}>
      <p
        className={is === 'confirmed' ? heating.confirmed : heating.waiting}
        data-attention={is === 'failed' || undefined}
        role="status"
      >
        <Icon size={16} aria-hidden />
        {text}
      </p>
      <p className={heating.outcome}>{details}</p>
      {onAgain && typeof wanted === 'number' && (
        <Ways
          device={{ ...device, reported: { ...device.reported, setPoint: reported } }}
          pageOf={device.deviceId}
          command={command}
          now={now}
          onAgain={() => onAgain(wanted)}
        />
      )}
    </div>
  )
}
