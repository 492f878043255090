import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { IconBolt } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { testCommandName } from '@caretaker/rules/actions/command-names.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { commandsQuery, isUnanswered } from '../../api/device-commands.ts'
import { showCallError } from '../../api/errors.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'
import { sendFlickTest } from './queries.ts'

/** The flick test of a light, for authorised users. */
export function FlickTestAction({ device }: { device: Device }) {
  const actor = useActor()
  if (!can(actor, 'flick test', targetOfDevice(device))) return undefined
  return <FlickTestButton tenant={actor.tenant} deviceId={device.deviceId} />
}

/** Sends a flick test; one at a time. */
function FlickTestButton({ tenant, deviceId }: { tenant: string; deviceId: string }) {
  const queryClient = useQueryClient()
  const { data: commands } = useQuery(commandsQuery(tenant, deviceId))
  const latest = commands?.find(({ name }) => name === 'runTest')
  const running = latest !== undefined && isUnanswered(latest)
  const send = useMutation({
    mutationFn: () => sendFlickTest(tenant, deviceId),
    onSuccess: ({ status }) => {
      if (status === 'queued') showSuccess('Flick test queued')
      else showError('The flick test could not be queued.')
    },
    onError: showCallError,
    onSettled: () => queryClient.invalidateQueries(commandsQuery(tenant, deviceId)),
  })
  return (
    <Button
      variant="default"
      leftSection={<IconBolt size={16} aria-hidden />}
      loading={send.isPending}
      disabled={running}
      title={running ? `${testCommandName(latest)} is on its way` : undefined}
      onClick={() => send.mutate()}
    >
      Flick test
    </Button>
  )
}
