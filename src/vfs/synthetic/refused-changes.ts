import { FsError } from '../errors/fs-error.ts';
import type { NodeId } from '../file-system.ts';

type Place = { readonly parent: NodeId; readonly name: string };

/** Changes that nobody can make of synthetic entries: they show what the platform has. */
export class RefusedChanges {
  /** @throws EPERM */
  refuse(name: string): never {
    throw new FsError(
      'EPERM',
      `${name}: nothing is made, changed or removed here, which shows what is so elsewhere`,
    );
  }

  mkdir(_parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  mknod(_parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  symlink(_parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  link(_node: NodeId, _parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  create(_parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  unlink(_parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  rmdir(_parent: NodeId, name: string): never {
    return this.refuse(name);
  }

  rename(from: Place): never {
    return this.refuse(from.name);
  }

  fallocate(): never {
    throw new FsError('EOPNOTSUPP', 'no room is set aside here');
  }

  copyFileRange(): never {
    throw new FsError('EXDEV', 'read and write it');
  }

  setxattr(): never {
    throw new FsError('EOPNOTSUPP', 'nothing here has attributes that can be set');
  }

  removexattr(): never {
    throw new FsError('EOPNOTSUPP', 'nothing here has attributes that can be set');
  }

  listxattr(): readonly string[] {
    return [];
  }
}
