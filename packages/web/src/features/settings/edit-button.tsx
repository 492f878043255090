import { ActionIcon } from '@mantine/core'
import { IconPencil } from '../../icons/index.ts'
import classes from './settings.module.css'

export function EditButton({ name, onPress }: { name: string; onPress: () => void }) {
  return (
    <ActionIcon className={classes.edit} size={28} title="Edit" aria-label={`Edit: ${name}`} onClick={onPress}>
      <IconPencil size={18} stroke={1.7} aria-hidden />
    </ActionIcon>
  )
}
