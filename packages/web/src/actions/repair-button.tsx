import { useState } from 'react'
import { Button } from '@mantine/core'
import { isInService } from '@caretaker/rules/devices/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { ActionTarget } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { IconTool } from '../icons/index.ts'
import { lazily } from '../ui/lazily.tsx'

const RepairDialog = lazily(async () => (await import('./repair-dialog.tsx')).RepairDialog)

/** Opens the repair form, the same one from wherever a device is shown; for those who may record a repair. */
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
  const [isOpen, setOpen] = useState(false)
  if (!isInService(device.status) || !can(actor, 'set condition', device)) return undefined
  return (
    <>
      <Button
        variant={variant}
        size={size}
        leftSection={<IconTool size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Repair
      </Button>
      {isOpen && <RepairDialog device={device} onClose={() => setOpen(false)} />}
    </>
  )
}
