import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconCircleCheck } from '../icons/index.ts'
import { installDevice } from '@caretaker/contract/calls/actions.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'

interface InstallButtonProps {
  device: { deviceId: string; serialNumber: string }
}

/** Puts a device into service after a confirmation that explains the effect. */
export function InstallButton({ device: { deviceId, serialNumber } }: InstallButtonProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState(false)
  const install = async () => {
    await call(installDevice, { body: { tenant, deviceId } })
    void queryClient.invalidateQueries({ queryKey: [tenant] })
    return true as const
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCircleCheck size={16} stroke={1.7} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        Mark as installed
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Mark ${serialNumber} as installed`}
          verb="Mark as installed"
          onConfirm={() => install().catch(textsOf)}
          onClose={() => setAsking(false)}
        >
          <p>
            Its status is Installed until it reports. It can connect with its key, and its messages are accepted. Set
            its location afterwards.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
