/** The front door: the parts of files that other subjects may use. */
export { type CopyCandidate, checkCopyable } from './copy-file.ts';
export { destinationFolder, folderFor, type NamedDestination } from './destination-folder.ts';
export { contentAddress } from './download-address.ts';
export { checkTags } from './edit-file.ts';
export { type AccessibleFile, fileFor } from './file-access.ts';
export { fileAnswer } from './file-answer.ts';
export { fileResource } from './file-resource.ts';
export { checkMetadata } from './metadata.ts';
export { checkFileName, checkFolderName } from './names.ts';
export { newFile } from './new-file.ts';
export { freeNameOfEach, freeNumberedName, freeNumberedNames, numbered } from './numbered-name.ts';
export { checkGivesWay, freeName, holderOfName, placeFile } from './place-file.ts';
export { blobGarbageIn } from './tables/blob-garbage-table.ts';
export { fileBatchesIn } from './tables/file-batch-table.ts';
export { type DetailedFile, type FileRow, filesIn } from './tables/file-table.ts';
