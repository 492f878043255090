import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import { commandsQuery, isOnItsWay } from '../../api/device-commands.ts'
import { showCallError } from '../../api/errors.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'
import { sendFlickTest } from './queries.ts'

interface FlickTestProps {
  tenant: string
  deviceId: string
}

/** Sends a flick test; one at a time. */
export function FlickTestButton({ tenant, deviceId }: FlickTestProps) {
  const queryClient = useQueryClient()
  const { data: commands } = useQuery(commandsQuery(tenant, deviceId))
  const latest = commands?.find(({ name }) => name === 'runTest')
  const running = latest !== undefined && isOnItsWay(latest)
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
      leftSection={<IconBolt size={16} aria-hidden />}
      loading={send.isPending}
      disabled={running}
      title={running ? 'A flick test is on its way' : undefined}
      onClick={() => send.mutate()}
    >
      Flick test
    </Button>
  )
}
