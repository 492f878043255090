import { useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { IconBolt, IconCheck, IconClock, IconX } from '@tabler/icons-react'
import type { Command } from '@caretaker/contract/lighting.ts'
import type { CommandStatus } from '@caretaker/rules/commands/commands.ts'
import { commandLifetime } from '@caretaker/rules/commands/commands.ts'
import { showCallError } from '../../api/errors.ts'
import { Age } from '../../ui/age-view.tsx'
import { showError, showSuccess } from '../../ui/toasts.tsx'
import { commandsQuery, isOnItsWay, sendFlickTest } from './queries.ts'
import classes from './flick-test.module.css'

interface FlickTestProps {
  tenant: string
  deviceId: string
}

/** The newest flick test among the commands of the light. */
function useLatestFlickTest({ tenant, deviceId }: FlickTestProps): Command | undefined {
  const { data } = useQuery(commandsQuery(tenant, deviceId))
  return data?.find((command) => command.name === 'runTest')
}

/** Sends a flick test; one at a time. */
export function FlickTestButton(props: FlickTestProps) {
  const { tenant, deviceId } = props
  const queryClient = useQueryClient()
  const latest = useLatestFlickTest(props)
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

const sentences: Record<CommandStatus, string> = {
  queued: 'Waiting for the light to be connected.',
  sent: 'Sent to the light, which has not answered yet.',
  confirmed: 'Confirmed by the light.',
  failed: 'The light could not run the test.',
  expired: 'The light did not answer in time. Check its connection and try again.',
}

const lastStep: Record<CommandStatus, string> = {
  queued: 'Confirmed',
  sent: 'Confirmed',
  confirmed: 'Confirmed',
  failed: 'Failed',
  expired: 'Expired',
}

/** How far the newest flick test has come, as long as that is news. */
export function FlickTestProgress(props: FlickTestProps) {
  const latest = useLatestFlickTest(props)
  const [opened] = useState(() => Date.now())
  const isNews = latest && Date.parse(latest.createdAt) > opened - 2 * commandLifetime.runTest * 1000
  if (!latest || !isNews) return undefined
  const { status } = latest
  const reached = status === 'queued' ? 1 : status === 'sent' ? 2 : 3
  const wasSent = latest.sentAt !== null
  const steps = [
    { label: 'Queued', state: 'done' },
    { label: 'Sent', state: wasSent || status === 'confirmed' ? 'done' : reached === 3 ? 'left' : 'next' },
    { label: lastStep[status], state: reached === 3 ? (status === 'confirmed' ? 'done' : 'failed') : 'next' },
  ] as const
  return (
    <section className={classes.progress} aria-label="Flick test">
      <div className={classes.text} role="status">
        <b>Flick test</b>{' '}
        <span>
          {latest.message && status === 'failed' ? `${sentences.failed} ${latest.message}` : sentences[status]}
        </span>
      </div>
      <span className={classes.age}>
        <Age at={latest.answeredAt ?? latest.sentAt ?? latest.createdAt} />
      </span>
      <ol className={classes.steps}>
        {steps.map(({ label, state }) => (
          <li key={label} data-state={state}>
            <StepIcon state={state} />
            {label}
          </li>
        ))}
      </ol>
    </section>
  )
}

function StepIcon({ state }: { state: 'done' | 'next' | 'left' | 'failed' }) {
  const Icon = { done: IconCheck, next: IconClock, left: IconX, failed: IconX }[state]
  return <Icon size={14} stroke={2.4} aria-hidden />
}
