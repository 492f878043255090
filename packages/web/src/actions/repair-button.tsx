import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { needsRepair } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { isInService } from '@caretaker/rules/devices/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { deviceQuery } from '../api/device.ts'
import { showCallError } from '../api/errors.ts'
import { IconTool } from '../icons/index.ts'
import { showError } from '../ui/toasts.tsx'
import { openAction } from './open.ts'
import type { ActionTarget } from './target.ts'
import { targetOfDevice } from './target.ts'

/** Opens the repair form from any place that shows a device, for users who may record repairs. */
export function RepairButton({
  device,
  size = 'sm',
  variant = 'default',
}: {
  device: ActionTarget
  size?: 'xs' | 'sm'
  variant?: 'default' | 'filled'
}) {
  const actor = useActor()
  if (!isInService(device.status) || device.isReadOnly || !can(actor, 'set condition', device)) return undefined
  return (
    <Button
      variant={variant}
      size={size}
      leftSection={<IconTool size={16} aria-hidden />}
      onClick={() => openAction({ kind: 'single', action: 'repair', target: device })}
    >
      Repair
    </Button>
  )
}

interface RepairLightProps {
  light: { deviceId: string; deviceName: string; productId: Product; deviceStatus: DeviceStatus }
  className?: string | undefined
}

/** The repair button of a failed light on a plan or in a group, where only its name and status are loaded. */
export function RepairLight({ light, className }: RepairLightProps) {
  const actor = useActor()
  const client = useQueryClient()
  const { deviceId, deviceName, productId: product, deviceStatus: status } = light
  if (!needsRepair({ product, status }) || !can(actor, 'equip light')) return undefined
  const open = async () => {
    const query = deviceQuery(actor.tenant, 'EmergencyLights', deviceId)
    // If there is no connection, cached data is used.
    const device = client.getQueryData(query.queryKey) ?? (await client.fetchQuery(query))
    const target = targetOfDevice(device)
    if (target.isReadOnly || !can(actor, 'set condition', target))
      showError('You are not allowed to record a repair of this light.')
    else openAction({ kind: 'single', action: 'repair', target })
  }
  return (
    <button
      type="button"
      className={className}
      aria-label={`Repair ${deviceName}`}
      onClick={() => void open().catch(showCallError)}
    >
      Repair
    </button>
  )
}
