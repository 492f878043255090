import { useQueryClient } from '@tanstack/react-query'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import { deleteEmeredGroup } from '@caretaker/contract/calls/groups.ts'
import { useActor } from '../../api/actor.ts'
import { attempt } from '../../api/attempt.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { groupsQuery } from './queries.ts'
import { lightsText } from './words.tsx'

interface DeleteGroupProps {
  group: GroupRow
  onDone: (text: string) => void
  onClose: () => void
}

/** Says what stays. It cannot be closed while it is on its way, and stays open when it is refused. */
export function DeleteGroup({ group: { groupName, lights }, onDone, onClose }: DeleteGroupProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const remove = async () => {
    const deleted = await attempt(deleteEmeredGroup, { body: { tenant, groupName } })
    if (!deleted) return ['Something went wrong']
    await client.invalidateQueries({ queryKey: groupsQuery(tenant).queryKey })
    return true as const
  }
  return (
    <ConfirmDialog
      title="Delete Group"
      verb="Delete"
      danger
      onConfirm={remove}
      onClose={onClose}
      onDone={() => {
        onClose()
        onDone('Group deleted successfully')
      }}
    >
      <p>
        Delete <b>{groupName}</b>?{' '}
        {lights > 0
          ? `Its ${lightsText(lights)} ${lights === 1 ? 'stays' : 'stay'} installed, but nothing tests ${lights === 1 ? 'it until it is' : 'them until they are'} in a group again.`
          : 'It has no lights.'}{' '}
        What was tested stays.
      </p>
    </ConfirmDialog>
  )
}
