import { useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import { deleteEmeredGroup } from '@caretaker/contract/calls/groups.ts'
import { useActor } from '../../api/actor.ts'
import { attempt } from '../../api/attempt.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { deletionKey, groupQuery, groupsQuery } from './queries.ts'
import { RunningTest } from './running-test.tsx'
import { lightsText } from './words.tsx'

interface DeleteGroupProps {
  group: GroupRow
  onDone: (text: string) => void
  onClose: () => void
}

/** Explains what is kept. It cannot be closed while the request is pending, and stays open after a refusal. */
export function DeleteGroup({ group: { groupName, lights }, onDone, onClose }: DeleteGroupProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [stopTest, setStop] = useState(false)
  const { mutateAsync: remove, isIdle } = useMutation({
    mutationKey: deletionKey(tenant, groupName),
    mutationFn: async () => {
      const deleted = await attempt(deleteEmeredGroup, { body: { tenant, groupName, ...(stopTest && { stopTest }) } })
      if (!deleted) return ['Something went wrong']
      // Its view closes at once, because it would request a deleted group.
      client.setQueryData(
        groupsQuery(tenant).queryKey,
        (old) => old && { ...old, groups: old.groups.filter((group) => group.groupName !== groupName) },
      )
      await client.invalidateQueries({ queryKey: groupsQuery(tenant).queryKey, exact: true })
      return true as const
    },
  })
  const { data: full } = useQuery({
    ...groupQuery(tenant, groupName),
    refetchOnMount: 'always',
    // Not requested once the deletion has started.
    enabled: isIdle,
  })
  return (
    <ConfirmDialog
      title="Delete Group"
      verb="Delete"
      danger
      onConfirm={() => remove()}
      onClose={onClose}
      onDone={() => {
        onClose()
        onDone('Group deleted successfully')
      }}
    >
      <p>
        Delete <b>{groupName}</b>?{' '}
        {lights > 0
          ? `Its ${lightsText(lights)} ${lights === 1 ? 'stays' : 'stay'} installed, but ${lights === 1 ? 'is' : 'are'} not tested until ${lights === 1 ? 'it is' : 'they are'} in a group again.`
          : 'It has no lights.'}{' '}
        Test results are kept.
      </p>
      <RunningTest running={full?.running ?? []} isStopped={stopTest} onStop={setStop} />
    </ConfirmDialog>
  )
}
