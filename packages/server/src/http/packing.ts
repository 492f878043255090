/** How answers are packed: level 4 makes of a week of six series a tenth more than the usual level and takes less than half as long. */
export const packing = { level: 4 }
