import { useState } from 'react'

/** Whether a file is dragged over a part of the page, which accepts it on drop. */
export function useDrop(onFile: (file: File) => void) {
  const [depth, setDepth] = useState(0)
  const hasFile = (event: React.DragEvent) => event.dataTransfer.types.includes('Files')
  return {
    isDraggedOver: depth > 0,
    handlers: {
      onDragEnter: (event: React.DragEvent) => {
        if (hasFile(event)) setDepth((now) => now + 1)
      },
      onDragLeave: () => setDepth((now) => Math.max(0, now - 1)),
      onDragOver: (event: React.DragEvent) => {
        if (hasFile(event)) event.preventDefault()
      },
      onDrop: (event: React.DragEvent) => {
        const [file] = event.dataTransfer.files
        if (!file) return
        event.preventDefault()
        setDepth(0)
        onFile(file)
      },
    },
  }
}
