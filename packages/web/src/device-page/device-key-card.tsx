import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { replaceDeviceKey, revokeDeviceKey } from '@caretaker/contract/calls/device-keys.ts'
import type { DeviceKey } from '@caretaker/contract/device-keys.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { dateText } from '../ui/age.ts'
import { Age } from '../ui/age-view.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { useZone } from '../ui/zone.tsx'
import { Row } from './identity-cards.tsx'
import { deviceKeyQuery } from './queries.ts'
import classes from './device.module.css'

type Credentials = Awaited<ReturnType<typeof replaced>>
const replaced = async (tenant: string, deviceId: string) =>
  (await call(replaceDeviceKey, { params: { tenant, deviceId } })).credentials

/** The key of the device, for users who may replace and revoke it. */
export function DeviceKeyCard({ device }: { device: Device }) {
  const actor = useActor()
  return can(actor, 'manage device keys', targetOfDevice(device)) ? <KeyCard device={device} /> : undefined
}

function KeyCard({ device: { deviceId, serialNumber } }: { device: Device }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const query = deviceKeyQuery(tenant, deviceId)
  const { data: key, isError, refetch } = useQuery(query)
  const [asked, setAsked] = useState<'replace' | 'revoke'>()
  const [made, setMade] = useState<Credentials>()
  const refresh = () => void queryClient.invalidateQueries({ queryKey: query.queryKey })
  const replace = async () => {
    const credentials = await replaced(tenant, deviceId)
    refresh()
    // The question is answered: the key is shown in a separate dialog.
    setAsked(undefined)
    setMade(credentials)
    return true as const
  }
  const revoke = async () => {
    await call(revokeDeviceKey, { params: { tenant, deviceId } })
    refresh()
    return true as const
  }
  const verb = key?.state === 'none' ? 'Add key' : 'Replace key'
  return (
    <Card title="Device key">
      {!key && (isError ? <Failed onRetry={() => void refetch()} /> : <Loading />)}
      {key && (
        <>
          <KeyRows deviceKey={key} />
          <div className={classes.keyButtons}>
            <Button variant="default" size="compact-sm" onClick={() => setAsked('replace')}>
              {verb}
            </Button>
            {key.state === 'active' && (
              <Button variant="default" size="compact-sm" onClick={() => setAsked('revoke')}>
                Revoke key
              </Button>
            )}
          </div>
        </>
      )}
      {asked === 'replace' && (
        <ConfirmDialog
          title={key?.state === 'none' ? `Add a key to ${serialNumber}` : `Replace the key of ${serialNumber}`}
          verb={verb}
          danger={key?.state === 'active'}
          onConfirm={() => replace().catch(textsOf)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {key?.state === 'active'
              ? 'The current key stops working immediately, and the connection ends. The device cannot connect until it has the new key.'
              : 'The device can connect as soon as it has the new key.'}
          </p>
        </ConfirmDialog>
      )}
      {asked === 'revoke' && (
        <ConfirmDialog
          title={`Revoke the key of ${serialNumber}`}
          verb="Revoke key"
          danger
          onConfirm={() => revoke().catch(textsOf)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            The device is disconnected, and its messages are rejected, including those sent through its gateway. To let
            it connect again, replace the key.
          </p>
        </ConfirmDialog>
      )}
      {made && (
        <SecretDialog
          title={`New key for ${serialNumber}`}
          secret={made.password}
          hint={`The device connects to ${made.mqttUrl} with the user name ${made.username} and this key as its password.`}
          onClose={() => setMade(undefined)}
        />
      )}
    </Card>
  )
}

function KeyRows({ deviceKey: key }: { deviceKey: DeviceKey }) {
  const zone = useZone()
  return (
    <dl className={classes.rows}>
      <Row label="Key">
        {key.state === 'active' && (key.madeAt ? `Active since ${dateText(key.madeAt, zone)}` : 'Active')}
        {key.state === 'revoked' && key.revokedAt && `Revoked on ${dateText(key.revokedAt, zone)}`}
        {key.state === 'none' &&
          (key.gateway ? `None: it reports through ${key.gateway.serialNumber}` : 'None: it cannot connect')}
      </Row>
      {key.state !== 'none' && (
        <Row label="Last connected">
          {key.isConnected ? 'Connected now' : key.lastConnectedAt ? <Age at={key.lastConnectedAt} /> : 'Not recorded'}
        </Row>
      )}
    </dl>
  )
}
